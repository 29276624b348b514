import type { RunJson, RunPlanJson } from "@cloudwright/api-client";
import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const project = "/v1/projects/default";
const [old, newest] = ["01990000-0000-7000-8000-aaaaaaaaaaaa", "01990000-1111-7000-8000-bbbbbbbbbbbb"];

const changes: NonNullable<RunPlanJson["changes"]> = [
  {
    address: 'module.net.aws_subnet.a["x"]',
    action: "create",
    attributes: [
      { path: "cidr_block", after: "10.0.1.0/24" },
      { path: "id", unknown: true },
    ],
  },
  {
    address: "aws_vpc.main",
    action: "replace",
    reason: "replace_because_cannot_update",
    attributes: [
      { path: "cidr_block", before: "10.0.0.0/16", after: "10.8.0.0/16" },
      { path: 'tags["team"]', before: null, after: "a" },
    ],
    replacePaths: ["cidr_block", "tenancy"],
  },
  {
    address: "aws_db_instance.main",
    action: "update",
    attributes: [
      { path: "password", before: null, after: null, sensitive: true },
      { path: "note", before: "a\u001b[31m", after: "b".repeat(200) },
      { path: "logs", members: 600 },
    ],
  },
  { address: "aws_eip.old", action: "delete", attributes: [{ path: "id", before: "eip-1" }] },
];

const findings = [{ rule: "keep-data", severity: "must", message: "holds data", path: "aws_vpc.main", fix: "ask first" }];

async function createWorld(options: Parameters<typeof createFakeWorld>[0] = {}, more: RunJson = {}) {
  const fake = createFakeWorld(options);
  await fake.run("cluster", "create", "dev", "--network", "main");
  await fake.run("nodepool", "create", "dev/spot");
  const { uid: entityUid = "", operation = "" } = fake.server.find(`${project}/clusters/dev`)?.metadata ?? {};
  const common = { entityUid, entityKind: "Cluster", entityName: "dev", operation, purpose: "apply" };
  const counts = { create: 1, update: 1, replace: 1, delete: 1 };
  const waiting = { state: "NEEDS_APPROVAL", counts, findings, stateSerial: 4, expiresAt: "2026-01-02T00:00:00Z", ...more };
  fake.server.setRun(`${project}/runs/${old}`, { run: { uid: old, state: "DONE", ...common } });
  fake.server.setRun(`${project}/runs/${newest}`, {
    run: { uid: newest, ...common, ...waiting },
    changes,
    drift: [{ address: "aws_vpc.main", action: "update", attributes: [{ path: "tags", before: {}, after: { a: 1 } }] }],
  });
  return { ...fake, operation, path: `${project}/operations/${operation}` };
}

test("M077 runs are listed newest first, by entity and state", async () => {
  const { run, server, operation } = await createWorld();
  const { out } = await run("run", "list");
  expect(out.split("\n")[0]).toMatch(/^RUN +ENTITY +PURPOSE +STATE +CHANGES +OPERATION +AGE +MESSAGE$/);
  expect(out).toMatch(new RegExp(`bbbbbbbbbbbb +cluster/dev +apply +NEEDS_APPROVAL +\\+1 ~1 -/\\+1 -1 +${operation}`));
  expect((await run("run", "list", "-o", "name")).out).toBe(`${newest}\n${old}\n`);
  expect((await run("runs", "ls", "--state", "DONE", "-o", "wide")).out).toContain(old);
  expect((await run("run", "list", "--limit", "1", "-o", "jsonpath={.items[*].uid}")).out).toBe(`${newest}\n`);
  await run("run", "list", "--entity", "nodepool/dev/spot");
  expect(server.requests.at(-1)?.query.get("entity")).toBe(server.find(`${project}/clusters/dev`)?.metadata.uid);
  expect((await run("run", "list", "--state", "PLANNING")).err).toBe("no PLANNING runs in project default\n");
  expect((await run("run", "list", "--state", "SOMETIMES")).code).toBe(2);
});

test.each([
  [newest, newest],
  ["bbbbbb", newest],
  ["01990000-1", newest],
  ["01990000-0", old],
  ["k8s/dev", newest],
  ["nodepool/dev/spot", newest],
])("M077 %s identifies a run", async (text, uid) => {
  expect((await (await createWorld()).run("run", "get", text, "-o", "name")).out).toBe(`${uid}\n`);
});

test.each([
  ["01990000", 2, "cli.ambiguous_uid"],
  ["cccccc", 3, "cli.unknown_uid"],
  ["bbbbb", 2, "cli.usage"],
  ["main", 2, "cli.usage"],
  ["cluster/none", 3, "store.not_found"],
  ["network/main", 3, "cli.unknown_uid"],
])("M077 %s identifies no run: exit code %i, %s", async (text, code, fault) => {
  const { run } = await createWorld();
  await run("network", "create", "main", "--account", "a");
  const outcome = await run("run", "get", text);
  expect(outcome.code).toBe(code);
  expect(outcome.err).toContain(`(${fault})`);
});

test("M077 get shows the state, approvals and policy findings of a run", async () => {
  const { run } = await createWorld({}, { approvedBy: "ann", approvedAt: "2026-01-01T00:00:00Z", comment: "seen\u001b[31m" });
  const { out, err } = await run("run", "get", "cluster/dev");
  expect(out).toMatch(/State: +NEEDS_APPROVAL/);
  expect(out).toMatch(/Changes: +2 to add, 1 to change, 2 to destroy \(1 replaced\)/);
  expect(out).toMatch(/Approved: +by ann at 2026-01-01T00:00:00Z: seen \[31m/);
  expect(out).toMatch(/must +keep-data +aws_vpc.main +holds data; ask first/);
  expect(err).toContain("cloud run approve bbbbbbbbbbbb");
  expect(JSON.parse((await run("run", "get", "cluster/dev", "-o", "json")).out)).toMatchObject({ uid: newest, stateSerial: 4 });
});

test("M077 X032 a plan is shown by module and resource, with the reason for replacements and without masked values", async () => {
  const { run } = await createWorld();
  const { out, err } = await run("run", "plan", "cluster/dev");
  expect(out.split("\n")).toEqual([
    "Changed outside of Terraform since the last run:",
    "  ~ aws_vpc.main",
    '      tags = {} -> {"a":1}',
    "",
    "  -/+ aws_vpc.main (cannot update)",
    '      cidr_block   = "10.0.0.0/16" -> "10.8.0.0/16" # forces replacement',
    '      tags["team"] = null -> "a"',
    "      tenancy # forces replacement",
    "  ~ aws_db_instance.main",
    "      password = (sensitive)",
    `      note     = "a\\u001b[31m" -> "${"b".repeat(119)}... (202 characters)`,
    "      logs     = (600 attributes)",
    "  - aws_eip.old",
    "  module.net:",
    '    + aws_subnet.a["x"]',
    '        cidr_block = "10.0.1.0/24"',
    "        id         = (known after apply)",
    "",
    "Policies:",
    "  SEVERITY  RULE       RESOURCE      MESSAGE",
    "  must      keep-data  aws_vpc.main  holds data; ask first",
    "",
    "Plan: 2 to add, 1 to change, 2 to destroy (1 replaced).",
    "",
  ]);
  expect(err).toContain("until 2026-01-02T00:00:00Z; approve with: cloud run approve bbbbbbbbbbbb");
  expect((await run("run", "plan", "cluster/dev", "-o", "wide")).out).toContain("b".repeat(200));
  const json = JSON.parse((await run("run", "plan", "cluster/dev", "-o", "json")).out) as RunPlanJson;
  expect([json.run?.uid, json.changes?.length]).toEqual([newest, 4]);
  expect((await run("run", "plan", old)).out).toBe("No changes: the infrastructure matches the desired state.\n");
});

test("M077 on a terminal replacements and deletions are red", async () => {
  const { run } = await createWorld({ typed: [] });
  const { out } = await run("run", "plan", "cluster/dev");
  expect(out).toContain("\u001b[31m-/+ aws_vpc.main (cannot update)\u001b[0m");
  expect(out).toContain("\u001b[31m- aws_eip.old\u001b[0m");
  expect((await run("run", "plan", "cluster/dev", "--no-color")).out).not.toContain("\u001b[31m-/+");
});

test("X032 an approval shows the plan, asks on a terminal, and is valid for exactly that run", async () => {
  const refused = await createWorld({ typed: ["n"] });
  expect(await refused.run("run", "approve", "cluster/dev")).toMatchObject({ code: 4, out: "" });
  expect(refused.server.requests.some(({ path }) => path.endsWith(":approve"))).toBe(false);
  const { run, server, operation } = await createWorld({ typed: ["y"] });
  const { code, out, err } = await run("run", "approve", "cluster/dev", "--comment", "seen");
  expect([code, out]).toEqual([0, "run bbbbbbbbbbbb of cluster/dev is approved\n"]);
  expect(err).toContain("# forces replacement");
  expect(err).toContain(`follow progress with: cloud operation watch ${operation}`);
  expect(server.requests.at(-1)).toMatchObject({ path: `${project}/runs/${newest}:approve`, body: { comment: "seen" } });
});

test("X032 without a terminal an approval requires --yes, and a run that was already decided needs no confirmation", async () => {
  const { run } = await createWorld();
  expect(await run("run", "approve", "cluster/dev")).toMatchObject({
    code: 4,
    err: expect.stringContaining("cli.not_confirmed") as string,
  });
  const approved = await run("run", "approve", "cluster/dev", "--yes", "-o", "json");
  expect(JSON.parse(approved.out)).toMatchObject({ approvedBy: "admin" });
  expect(await run("run", "approve", "cluster/dev", "--yes")).toMatchObject({
    code: 4,
    err: expect.stringContaining("cli.run_decided") as string,
  });
  expect((await run("run", "discard", old)).err).toContain("api.run_not_open");
});

test("X032 an approval with --wait reports the result of the operation", async () => {
  const { start, server, path } = await createWorld();
  const command = start("run", "approve", "cluster/dev", "--yes", "--wait");
  await expect.poll(command.err).toContain("is approved; waiting");
  server.setStatus(path, { state: "FAILED", message: "no quota" });
  expect((await command.done).code).toBe(7);
});

test("X032 a run is discarded with a comment", async () => {
  const { run, server } = await createWorld();
  expect((await run("run", "discard", newest, "--comment", "not now")).out).toBe(
    "run bbbbbbbbbbbb of cluster/dev is discarded\n",
  );
  expect(server.requests.at(-1)?.body).toEqual({ comment: "not now" });
});

test("M077 cancelling a run cancels its operation", async () => {
  const { run, operation } = await createWorld();
  expect((await run("run", "cancel", "cluster/dev")).out).toBe(`operation/${operation} is being cancelled\n`);
});

/** Adds tasks with logs to the newest run. */
function addTasks({ server }: Awaited<ReturnType<typeof createWorld>>, run: RunJson): string[] {
  const uids = ["cluster.plan", "cluster.apply"].map((type) => {
    server.put(`${project}/tasks/${type}`, { metadata: { name: type }, spec: { type } });
    const uid = server.find(`${project}/tasks/${type}`)?.metadata.uid as string;
    server.setLog(`${project}/tasks/${uid}`, [{ attempt: 1, seq: 1, line: `${type} goes on` }]);
    return uid;
  });
  server.setRun(`${project}/runs/${newest}`, { run: { uid: newest, planTask: uids[0] ?? "", applyTask: uids[1] ?? "", ...run } });
  return uids;
}

test("M077 logs contain the plan's lines, then the apply's, even while they are being written", async () => {
  const fake = await createWorld();
  const [plan = "", apply = ""] = addTasks(fake, { state: "APPLYING" });
  const both = "[cluster.plan] cluster.plan goes on\n[cluster.apply] cluster.apply goes on\n";
  expect((await fake.run("run", "logs", newest)).out).toBe(both);
  addTasks(fake, { state: "NEEDS_APPROVAL", applyTask: "" });
  const command = fake.start("run", "logs", newest, "--follow");
  await expect.poll(command.err).toContain("cloud run approve");
  fake.server.setRun(`${project}/runs/${newest}`, { run: { uid: newest, state: "DONE", planTask: plan, applyTask: apply } });
  const tick = setInterval(() => fake.clock.advance(1000), 1);
  expect(await command.done).toMatchObject({ code: 0, out: both });
  clearInterval(tick);
  expect((await fake.run("run", "logs", old)).err).toContain("has no log yet");
});
