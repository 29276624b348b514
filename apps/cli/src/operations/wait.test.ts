import { connectionRefused } from "@cloudwright/api-client/testing";
import { expect, test } from "vitest";
import { createFakeWorld, type FakeWorld } from "../testing/fake-world.ts";

const clusters = "/v1/projects/default/clusters";
const path = `${clusters}/dev`;

const create = ["cluster", "create", "dev", "--network", "main", "--wait"] as const;

/** Starts a create command with `--wait` and returns once it has shown the first state. */
async function startWaiting(fake: FakeWorld, ...flags: string[]) {
  const command = fake.start(...create, ...flags);
  await expect.poll(() => fake.server.requests.some(({ query }) => query.get("watch") === "true")).toBe(true);
  const name = fake.server.find(path)?.metadata.operation as string;
  return { command, name, operation: `/v1/projects/default/operations/${name}` };
}

test("M010 --wait prints each change on a separate line and returns when the operation is done", async () => {
  const fake = createFakeWorld();
  const { command, operation } = await startWaiting(fake);
  fake.server.setStatus(operation, { state: "RUNNING", progressPercent: 40, message: "creating subnets" });
  await expect.poll(command.err).toContain("RUNNING");
  fake.server.setStatus(operation, {
    state: "RUNNING",
    progressPercent: 40,
    message: "creating subnets",
    steps: [{ name: "x" }],
  });
  fake.server.setStatus(path, { phase: "RUNNING", observedGeneration: 1 });
  fake.server.setStatus(operation, { state: "DONE", progressPercent: 100 });
  expect(await command.done).toEqual({
    code: 0,
    out: "cluster/dev is RUNNING\n",
    err: [
      "cluster/dev created; waiting",
      "create cluster/dev: WAITING: accepted",
      "create cluster/dev: RUNNING 40%: creating subnets",
      "create cluster/dev: DONE",
      "",
    ].join("\n"),
  });
});

test("M010 with -o json only the final object is printed", async () => {
  const fake = createFakeWorld();
  const { command, operation } = await startWaiting(fake, "-o", "json");
  fake.server.setStatus(path, { phase: "RUNNING", observedGeneration: 1 });
  fake.server.setStatus(operation, { state: "DONE" });
  const { out, err, code } = await command.done;
  expect([code, err]).toEqual([0, ""]);
  expect(JSON.parse(out)).toMatchObject({ kind: "Cluster", status: { phase: "RUNNING" } });
});

test.each([
  ["FAILED", 7, "cli.wait_failed"],
  ["CANCELLED", 8, "cli.wait_cancelled"],
])("M053 --wait for an operation that ends as %s has exit code %i", async (state, code, fault) => {
  const fake = createFakeWorld();
  const { command, operation, name } = await startWaiting(fake);
  fake.server.setStatus(operation, { state, message: "no quota" });
  const outcome = await command.done;
  expect(outcome.code).toBe(code);
  expect(outcome.err).toContain(`no quota (${fault})`);
  expect(outcome.err).toContain(`cloud operation retry ${name}`);
});

test("M053 --wait stops after --timeout with its own exit code and prints how to follow", async () => {
  const fake = createFakeWorld();
  const { command, name } = await startWaiting(fake, "--timeout", "5m");
  fake.clock.advance(5 * 60_000);
  const { code, err } = await command.done;
  expect(code).toBe(9);
  expect(err).toContain("(cli.wait_timeout)");
  expect(err).toContain(`cloud operation watch ${name}`);
});

test("M053 Ctrl-C leaves the operation running and prints how to follow it", async () => {
  const fake = createFakeWorld();
  const { command, name } = await startWaiting(fake);
  fake.interrupt();
  const { code, err } = await command.done;
  expect(code).toBe(130);
  expect(err).toContain(`work continues on the server; follow progress with: cloud operation watch ${name}\n`);
  expect(fake.server.requests.some(({ path: asked }) => asked.endsWith(":cancel"))).toBe(false);
});

test("M053 --wait survives a server restart and misses nothing", async () => {
  const fake = createFakeWorld();
  const { command, operation } = await startWaiting(fake);
  for (let i = 0; i < 9; i += 1) fake.server.answerOnce("GET", /operations/, connectionRefused);
  fake.server.breakWatches();
  fake.server.setStatus(operation, { state: "DONE" });
  const tick = setInterval(() => fake.clock.advance(6000), 1);
  expect((await command.done).code).toBe(0);
  clearInterval(tick);
  expect(command.err()).toContain("connection lost");
});

test("M010 without --wait a change is accepted, and standard error shows how to follow it", async () => {
  const { run, server } = createFakeWorld();
  const { out, err } = await run("cluster", "create", "dev", "--network", "main");
  const name = server.find(path)?.metadata.operation;
  expect([out, err]).toEqual(["cluster/dev created\n", `accepted; follow progress with: cloud operation watch ${name}\n`]);
  expect((await run("-p", "other", "cluster", "create", "dev", "--network", "main")).err).toContain(
    "cloud -p other operation watch",
  );
  expect((await run("cluster", "create", "quiet", "--network", "main", "-q")).err).toBe("");
  server.setStatus(path, { phase: "RUNNING", observedGeneration: 1 });
  expect((await run("cluster", "update", "dev", "--annotation", "a=b")).err).toBe("");
  expect((await run("cluster", "update", "dev", "--workers", "3")).err).toContain("accepted");
});

test("M003 kinds without infrastructure are created at once", async () => {
  expect(await createFakeWorld().run("environment", "create", "e", "--wait")).toMatchObject({ code: 0, err: "" });
});

const file = `
kind: Cluster
metadata: {name: dev}
spec: {network: main}
---
kind: Cluster
metadata: {name: prod}
spec: {network: main}
`;

test("M010 apply --wait waits for all operations and exits with the code of the worst result", async () => {
  const fake = createFakeWorld({ stdin: file });
  const command = fake.start("apply", "-f", "-", "--wait");
  await expect.poll(() => command.err().match(/WAITING/g)).toHaveLength(2);
  const finish = (name: string, status: object): void => {
    const operation = fake.server.find(`${clusters}/${name}`)?.metadata.operation;
    fake.server.setStatus(`/v1/projects/default/operations/${operation}`, status);
  };
  finish("prod", { state: "FAILED", message: "no quota" });
  await expect.poll(command.err).toContain("FAILED");
  fake.server.setStatus(path, { phase: "RUNNING", observedGeneration: 1 });
  finish("dev", { state: "DONE" });
  const { code, out, err } = await command.done;
  expect(code).toBe(7);
  expect(out).toContain("cluster/dev is RUNNING\n");
  expect(err).toContain("create cluster/prod failed: no quota (cli.wait_failed)");
});

test("M010 create -f --wait creates all entities before it waits", async () => {
  const fake = createFakeWorld({ stdin: file });
  const command = fake.start("create", "-f", "-", "--wait", "-o", "name");
  await expect.poll(() => command.err().match(/WAITING/g)).toHaveLength(2);
  for (const name of ["dev", "prod"]) {
    const operation = fake.server.find(`${clusters}/${name}`)?.metadata.operation;
    fake.server.setStatus(`/v1/projects/default/operations/${operation}`, { state: "DONE" });
  }
  expect(await command.done).toMatchObject({ code: 0, out: "cluster/dev\ncluster/prod\n" });
});

test("M010 update and edit wait for their own operations", async () => {
  const fake = createFakeWorld();
  await fake.run("cluster", "create", "dev", "--network", "main");
  const first = fake.server.find(path)?.metadata.operation;
  fake.server.setStatus(`/v1/projects/default/operations/${first}`, { state: "DONE" });
  const command = fake.start("cluster", "update", "dev", "--workers", "5", "--wait");
  await expect.poll(command.err).toContain("update cluster/dev: WAITING");
  const second = fake.server.find(path)?.metadata.operation;
  expect(second).not.toBe(first);
  fake.server.setStatus(`/v1/projects/default/operations/${second}`, { state: "DONE" });
  expect((await command.done).code).toBe(0);
});

test("M010 --wait follows the operation that this command started, even for a label change, and never reports an older one", async () => {
  const fake = createFakeWorld();
  await fake.run("cluster", "create", "dev", "--network", "main");
  const operations = "/v1/projects/default/operations";
  const first = fake.server.find(path)?.metadata.operation;
  fake.server.setStatus(`${operations}/${first}`, { state: "DONE" });
  const command = fake.start("cluster", "update", "dev", "--label", "tier=prod", "--wait");
  await expect.poll(command.err).toContain("update cluster/dev: WAITING");
  const second = fake.server.find(path)?.metadata.operation;
  fake.server.setStatus(`${operations}/${second}`, { state: "DONE" });
  expect((await command.done).code).toBe(0);
  // A change that does not start an operation returns immediately.
  const third = await fake.run("cluster", "update", "dev", "--annotation", "a=b", "--wait");
  expect(third).toMatchObject({ code: 0, err: "" });
  expect(third.out).toBe("cluster/dev changed\n");
  // If earlier work has failed, the entity is not in the desired state, and the command names the failed operation.
  fake.server.setStatus(`${operations}/${second}`, { state: "FAILED", message: "no quota" });
  const fourth = await fake.run("cluster", "update", "dev", "--annotation", "a=c", "--wait");
  expect(fourth.code).toBe(7);
  expect(fourth.err).toContain(`no new operation was started; ${second} (update) is FAILED`);
});

test("M010 on a terminal progress is shown in place, with the steps", async () => {
  const fake = createFakeWorld({ typed: [] });
  const { command, operation } = await startWaiting(fake);
  fake.server.setStatus(operation, {
    state: "RUNNING",
    progressPercent: 40,
    steps: [
      { name: "preflight", state: "DONE" },
      { name: "infrastructure", state: "RUNNING", message: "3 of 12" },
    ],
  });
  await expect.poll(command.err).toContain("infrastructure: 3 of 12");
  expect(command.err()).toContain("create cluster/dev RUNNING 40%");
  fake.server.setStatus(path, { phase: "RUNNING", observedGeneration: 1 });
  fake.server.setStatus(operation, { state: "DONE" });
  expect(await command.done).toMatchObject({ code: 0, out: "cluster/dev is RUNNING\n" });
  expect(command.err()).toContain("create cluster/dev DONE");
});

test("M053 on a terminal a failure is shown last, and Ctrl-C restores the cursor", async () => {
  const failing = createFakeWorld({ typed: [] });
  const first = await startWaiting(failing);
  failing.server.setStatus(first.operation, { state: "FAILED", message: "no quota" });
  expect((await first.command.done).code).toBe(7);
  const fake = createFakeWorld({ typed: [] });
  const { command, name } = await startWaiting(fake);
  fake.interrupt();
  const { code, err } = await command.done;
  expect(code).toBe(130);
  expect(err.lastIndexOf("\u001b[?25h")).toBeGreaterThan(err.lastIndexOf("\u001b[?25l"));
  expect(err.endsWith(`cloud operation watch ${name}\n`)).toBe(true);
});

/** Adds an operation whose plan waits for approval, and the waiting run. Returns the command that approves the plan. */
function waitForApproval({ server }: FakeWorld, name: string): string {
  const uid = "01990000-0000-7000-8000-aaaabbbbcccc";
  const entityUid = server.find(path)?.metadata.uid as string;
  const counts = { create: 1, update: 0, replace: 1, delete: 0 };
  const run = { uid, state: "NEEDS_APPROVAL", entityKind: "Cluster", entityName: "dev", entityUid, operation: name, counts };
  server.setRun(`/v1/projects/default/runs/${uid}`, { run });
  server.setStatus(`/v1/projects/default/operations/${name}`, {
    state: "RUNNING",
    message: "waits for approval",
    steps: [
      { name: "plan", state: "DONE" },
      { name: "approval", state: "WAITING", message: "waits for approval" },
    ],
  });
  return "cloud run approve aaaabbbbcccc";
}

test("X032 if a plan waits for approval, --wait prints the run and the command once and keeps waiting", async () => {
  const fake = createFakeWorld();
  const { command, operation, name } = await startWaiting(fake);
  const approve = waitForApproval(fake, name);
  await expect.poll(command.err).toContain(approve);
  waitForApproval(fake, name);
  expect(command.err()).toContain(
    "run aaaabbbbcccc of cluster/dev is waiting for approval: 2 to add, 0 to change, 1 to destroy (1 replaced)\n",
  );
  fake.server.setStatus(operation, { state: "DONE" });
  const { code, err } = await command.done;
  expect(code).toBe(0);
  expect(err.split(approve)).toHaveLength(2);
});

test("X032 a waiting approval is reported with -o json too, and after --timeout or Ctrl-C", async () => {
  const fake = createFakeWorld();
  const first = await startWaiting(fake, "-o", "json", "--timeout", "5m");
  const approve = waitForApproval(fake, first.name);
  await expect.poll(first.command.err).toContain(approve);
  fake.clock.advance(5 * 60_000);
  const late = await first.command.done;
  expect([late.code, late.out]).toEqual([9, ""]);
  expect(late.err).toContain(`help: To approve, run \`${approve}\``);
  const second = fake.start("operation", "watch", first.name);
  await expect.poll(second.err).toContain(approve);
  fake.interrupt();
  const interrupted = await second.done;
  expect(interrupted.code).toBe(130);
  expect(interrupted.err).toContain(`waiting for approval; approve with: ${approve}\n`);
});

test("X032 on a terminal the command to approve is shown below the steps", async () => {
  const fake = createFakeWorld({ typed: [] });
  const { command, operation, name } = await startWaiting(fake);
  const approve = waitForApproval(fake, name);
  await expect.poll(command.err).toContain(approve);
  expect(command.err()).toContain("- approval: waits for approval");
  fake.server.setStatus(operation, { state: "DONE" });
  expect((await command.done).code).toBe(0);
});
