import type { JsonObject } from "@cloudwright/contract";
import type { LeasedTask } from "@cloudwright/tasks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { done, failed, openTestPlatform, succeed, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
let network: string;
beforeEach(async () => {
  platform = await openTestPlatform();
});
afterEach(() => platform.close());

const tag = { address: "aws_vpc.main", resourceType: "aws_vpc", action: "update", paths: ["tags"] };
const route = { address: "aws_route.out", resourceType: "aws_route", action: "delete", paths: [] };

async function build(infra: JsonObject = {}): Promise<void> {
  const parent = await platform.create("Account", "acme");
  network = await platform.create("Network", "net", { parent, spec: { region: "eu-west-1", infra } });
  await platform.run();
}

/** Backdates all records, requests a drift check, and makes it report these items. */
async function look(...items: JsonObject[]): Promise<string[]> {
  await platform.query("update task set ended_at = ended_at - interval '2 hours' where ended is not null");
  await platform.query("update drift set found_at = found_at - interval '2 hours', ended_at = ended_at - interval '2 hours'");
  await platform.query(
    `update entity set object = jsonb_set(object::jsonb, '{metadata,createdAt}', to_jsonb((object -> 'metadata' ->> 'createdAt')::timestamptz - interval '2 hours'))::json
      where kind = 'Operation'`,
  );
  await platform.check(network);
  const result = { drifted: items.length > 0, summary: `${items.length} changed`, items, ignored: 1 };
  return platform.run((task) => (task.type === "network.check" ? done(result) : succeed(task)));
}

const listReports = (): Promise<{ items: unknown; ignored: number; ended_as: string | null }[]> =>
  platform.query("select items, ignored, ended_as from drift order by found_at");
const conditionOf = async (type: string): Promise<unknown> =>
  ((await platform.get(network)).status["conditions"] as { type: string }[]).find((condition) => condition.type === type);

test("M042 X033 one report contains the drift that the last check found", async () => {
  await build();
  await look(tag);
  expect(await listReports()).toEqual([{ items: [tag], ignored: 1, ended_as: null }]);
  await platform.wakeAll();
  await platform.settle();
  await look(tag, route);
  expect(await listReports()).toEqual([{ items: [tag, route], ignored: 1, ended_as: null }]);
});

test("M042 a report ends as gone when a later check finds nothing, and the next drift opens another report", async () => {
  await build();
  await look(tag);
  await look();
  expect(await listReports()).toMatchObject([{ ended_as: "gone" }]);
  expect(await conditionOf("Drifted")).toMatchObject({ status: "False" });
  await look(route);
  expect(await listReports()).toMatchObject([{ ended_as: "gone" }, { items: [route], ended_as: null }]);
});

test("M042 a report ends as corrected after a successful run", async () => {
  await build();
  await look(tag);
  await platform.update(network, { region: "eu-west-1", cidr: "10.1.0.0/16" });
  await platform.run((task) => (task.type === "network.apply" ? failed("no") : succeed(task)));
  expect(await listReports()).toMatchObject([{ ended_as: null }]);
  await platform.retry(network);
  await platform.run();
  expect(await listReports()).toMatchObject([{ ended_as: "corrected" }]);
});

test("X033 accepted drift is not reported again by the same check", async () => {
  await build();
  await look(tag);
  await platform.query("update drift set ended_at = now(), ended_as = 'accepted'");
  await platform.wakeAll();
  await platform.settle();
  expect(await listReports()).toMatchObject([{ ended_as: "accepted" }]);
});

test("M042 X080 a report ends as kept after a run that kept the change", async () => {
  await build();
  await look(tag);
  await platform.update(network, { region: "eu-west-1", cidr: "10.1.0.0/16" });
  await platform.run((task) => {
    if (task.type === "network.plan")
      return platform.plans.save(task, { counts: { update: 1, drifted: 1, overwritten: 0, kept: 1 } });
    return task.type === "network.apply" ? platform.plans.apply(task, done({})) : succeed(task);
  });
  expect(await listReports()).toMatchObject([{ ended_as: "kept" }]);
});

/** Updates the network. The plan finds several external changes, of which the run keeps one and undoes the others. */
async function updateAndKeep(): Promise<void> {
  const attributes = [
    { path: "tags", before: "a", after: "b", sensitive: false },
    { path: "cidr", before: 1, after: 2, sensitive: false },
  ];
  const drift = [
    { ...tag, attributes, overwrittenPaths: ["cidr"], keptPaths: ["tags"] },
    { ...route, attributes: [], overwrittenPaths: ["*"], keptPaths: [] },
  ];
  const { infra = {} } = (await platform.get(network)).spec;
  await platform.update(network, { region: "eu-west-1", cidr: "10.1.0.0/16", infra });
  await platform.run((task) => {
    if (task.type === "network.plan")
      return platform.plans.save(task, { counts: { update: 1, drifted: 2, overwritten: 2, kept: 0 }, drift });
    return task.type === "network.apply" ? platform.plans.apply(task, done({})) : succeed(task);
  });
}

test("X080 drift that a run kept and no check had found is shown on the entity until the next check", async () => {
  await build();
  await updateAndKeep();
  const item = { ...tag, attributes: [{ path: "tags", before: "a", after: "b", sensitive: false }] };
  const shown = async (): Promise<void> => {
    expect(await listReports()).toEqual([{ items: [item], ignored: 0, ended_as: null }]);
    expect(await conditionOf("Drifted")).toMatchObject({
      status: "True",
      reason: "Kept",
      message: expect.stringContaining("aws_vpc.main"),
    });
    expect((await platform.get(network)).status["drift"]).toMatchObject({ state: "DRIFTED", resources: 1 });
  };
  await shown();
  await platform.wakeAll();
  await platform.settle();
  await shown();
  expect(await platform.query("select from event where reason = 'Drifted'")).toHaveLength(1);
  await look();
  expect(await listReports()).toMatchObject([{ ended_as: "kept" }]);
  expect(await conditionOf("Drifted")).toMatchObject({ status: "False" });
});

test("X080 the next run closes a report about kept drift with the result kept", async () => {
  await build();
  await updateAndKeep();
  await platform.update(network, { region: "eu-west-1", cidr: "10.2.0.0/16" });
  await platform.run();
  expect(await listReports()).toMatchObject([{ ended_as: "kept" }]);
  expect(await conditionOf("Drifted")).toMatchObject({ status: "False" });
});

test("X080 kept drift is not reported if the spec requests automatic correction", async () => {
  await build({ drift: "correct" });
  await updateAndKeep();
  expect(await listReports()).toEqual([]);
});

test("M042 drift is not corrected unless the spec says so", async () => {
  await build();
  expect(await look(tag)).toEqual(["network.check"]);
});

test("M042 X033 drift is corrected by a separate operation if the spec says so", async () => {
  await build({ drift: "correct" });
  expect(await look(tag)).toEqual(["network.check", "network.preflight", "network.plan", "network.apply"]);
  expect(await platform.operation(network)).toMatchObject({
    spec: { verb: "correct", actor: "platform" },
    status: { state: "DONE" },
  });
  expect(await listReports()).toMatchObject([{ ended_as: "corrected" }]);
  expect((await platform.get(network)).status).toMatchObject({ phase: "RUNNING" });
  expect(await conditionOf("Drifted")).toMatchObject({ status: "False" });
});

test("M042 a failed correction is not retried automatically", async () => {
  await build({ drift: "correct" });
  await platform.query("update task set ended_at = ended_at - interval '2 hours' where ended is not null");
  await platform.check(network);
  const types = await platform.run((task) => {
    if (task.type === "network.check") return done({ drifted: true, items: [tag] });
    return task.type === "network.apply" ? failed("no") : succeed(task);
  });
  expect(types.filter((type) => type === "network.apply")).toHaveLength(1);
  expect((await platform.get(network)).status).toMatchObject({ phase: "DEGRADED" });
  await platform.wakeAll();
  expect(await platform.run()).toEqual([]);
  expect(await listReports()).toMatchObject([{ ended_as: null }]);
});

test("X032 a correction that would destroy something waits for approval", async () => {
  await build({ drift: "correct" });
  await platform.query("update task set ended_at = ended_at - interval '2 hours' where ended is not null");
  await platform.check(network);
  const types = await platform.run((task) => {
    if (task.type === "network.check") return done({ drifted: true, items: [tag] });
    return task.type === "network.plan" ? platform.plans.save(task, { needsApproval: true }) : succeed(task);
  });
  expect(types).not.toContain("network.apply");
  expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "True" });
});

test("X032 a correction does not apply a change that a user discarded or cancelled", async () => {
  await build({ drift: "correct" });
  for (const stop of ["discard", "cancel"]) {
    await platform.update(network, { region: "eu-west-1", cidr: `10.${stop.length}.0.0/16`, infra: { drift: "correct" } });
    await platform.run((task) =>
      task.type === "network.plan" ? platform.plans.save(task, { needsApproval: true }) : succeed(task),
    );
    if (stop === "discard") await platform.plans.discard((await platform.plans.list(network)).at(-1)?.uid ?? "");
    else await platform.cancel(network);
    await platform.settle();
    expect(await look(tag)).toEqual(["network.check"]);
  }
  expect(await listReports()).toMatchObject([{ ended_as: null }]);
});

test("M042 malformed items in a plug-in's drift check are not stored", async () => {
  await build();
  const strange = [
    tag,
    "aws_vpc.main",
    null,
    { address: "aws_vpc.b" },
    { address: "aws_vpc.c", action: "forget", paths: ["a", 7] },
  ];
  await look(...(strange as JsonObject[]));
  expect(await listReports()).toMatchObject([
    {
      items: [
        tag,
        { address: "aws_vpc.b", resourceType: "", action: "update", paths: [] },
        { address: "aws_vpc.c", resourceType: "", action: "update", paths: ["a"] },
      ],
    },
  ]);
});

const driftOf = async (): Promise<unknown> => (await platform.get(network)).status["drift"];

describe("X080 the status says what is known about drift", () => {
  test("an entity that was built but never checked is NEVER_CHECKED, and a check that finds nothing makes it IN_SYNC", async () => {
    await build();
    expect(await driftOf()).toEqual({ state: "NEVER_CHECKED" });
    await look();
    expect(await driftOf()).toMatchObject({ state: "IN_SYNC", checkedAt: expect.any(String), resources: 0 });
  });

  test("drift is counted, a later run makes the result outdated, and a failed check says why", async () => {
    await build();
    await look(tag, route);
    expect(await driftOf()).toMatchObject({ state: "DRIFTED", resources: 2, message: "2 changed" });
    await platform.update(network, { region: "eu-west-1", cidr: "10.1.0.0/16" });
    await platform.run();
    expect(await driftOf()).toMatchObject({ state: "OUTDATED", resources: 0, checkedAt: expect.any(String) });
    await platform.check(network);
    await platform.run((task) => (task.type === "network.check" ? failed("no credentials") : succeed(task)));
    expect(await driftOf()).toMatchObject({ state: "CHECK_FAILED", message: "no credentials" });
  });
});

describe("X080 a drift check that a user requests", () => {
  test("is an operation that ends with what the check found, while periodic checks are off", async () => {
    await build();
    const name = await platform.check(network);
    const summary = "aws_vpc.main: tags changed";
    expect(await platform.run(() => done({ drifted: true, summary, items: [tag] }))).toEqual(["network.check"]);
    expect((await platform.operation(name)).status).toMatchObject({ state: "DONE", message: `drift found: ${summary}` });
    expect((await platform.get(network)).status).toMatchObject({ phase: "RUNNING" });
    const again = await platform.check(network);
    await platform.run(() => done({ drifted: false }));
    expect((await platform.operation(again)).status).toMatchObject({
      state: "DONE",
      message: expect.stringMatching(/^no drift/),
    });
    const events = await platform.query<{ reason: string }>("select reason from event where reason like 'Drift%' order by at");
    expect(events.map(({ reason }) => reason)).toEqual(["Drifted", "DriftGone"]);
  });

  test("runs and is reported while a plan waits for approval", async () => {
    await build();
    await platform.update(network, { region: "eu-west-1", cidr: "10.1.0.0/16" });
    const hold = (task: LeasedTask) =>
      task.type === "network.plan" ? platform.plans.save(task, { needsApproval: true }) : succeed(task);
    await platform.run(hold);
    await platform.check(network);
    expect(await platform.run(() => done({ drifted: true, items: [tag] }))).toEqual(["network.check"]);
    expect(await listReports()).toMatchObject([{ ended_as: null }]);
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "True" });
    expect(await conditionOf("Drifted")).toMatchObject({ status: "True" });
    expect(await driftOf()).toMatchObject({ state: "DRIFTED" });
  });

  test("waits while the entity is paused and ends with its deletion", async () => {
    await build();
    await platform.pause(network, true);
    const name = await platform.check(network);
    expect(await platform.run()).toEqual([]);
    expect((await platform.operation(name)).status).toMatchObject({ state: "WAITING" });
    await platform.pause(network, false);
    await platform.settle();
    await platform.remove(network);
    await platform.settle();
    expect((await platform.operation(name)).status).toMatchObject({ state: "CANCELLED" });
  });
});

test("X080 a report keeps old and new values and the author, and drops malformed ones", async () => {
  await build();
  const attributes = [
    { path: "tags", before: { a: 1 }, after: null, sensitive: false },
    { path: "password", before: "canary", after: "canary", sensitive: true },
    { path: 7 },
    null,
  ];
  await look({
    ...tag,
    attributes,
    author: "alice",
    authorAction: "CreateTags",
    changedAt: "2026-01-01T00:00:00Z",
  });
  const kept = [attributes[0], { path: "password", before: null, after: null, sensitive: true }];
  expect(await listReports()).toMatchObject([
    { items: [{ ...tag, attributes: kept, author: "alice", authorAction: "CreateTags", changedAt: "2026-01-01T00:00:00.000Z" }] },
  ]);
  await look({ ...tag, author: 7, changedAt: "yesterday" });
  expect((await listReports())[0]).toEqual({ items: [tag], ignored: 1, ended_as: null });
});

test("X080 a requested check replaces the periodic one that is due at the same time, and ends even if it fails", async () => {
  await build();
  await platform.query("update task set ended_at = ended_at - interval '2 hours' where ended is not null");
  platform.rules.driftMs = { Network: 600_000 };
  const name = await platform.check(network);
  await platform.settle();
  platform.rules.driftMs = {};
  expect(await platform.run(() => failed("no credentials"))).toEqual(["network.check"]);
  expect((await platform.operation(name)).status).toMatchObject({ state: "FAILED", message: "no credentials" });
});

test("X033 X080 a check that was requested before drift was accepted does not report it again, even while the acceptance is applied", async () => {
  await build();
  await look(tag);
  await platform.check(network);
  await platform.settle();
  const [late] = await platform.work(() => undefined);
  await platform.query("update drift set ended_at = clock_timestamp(), ended_as = 'accepted'");
  await platform.update(network, { region: "eu-west-1", infra: { ignore: [{ address: "aws_vpc.main", path: "tags" }] } });
  await platform.settle();
  await platform.end(late as LeasedTask, done({ drifted: true, items: [tag] }));
  await platform.run();
  expect(await listReports()).toMatchObject([{ ended_as: "accepted" }]);
});
