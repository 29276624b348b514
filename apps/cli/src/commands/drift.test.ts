import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const project = "/v1/projects/default";
const [open, gone] = ["01990000-0000-7000-8000-aaaaaaaaaaaa", "01990000-1111-7000-8000-bbbbbbbbbbbb"];

async function createWorld(action = "update") {
  const fake = createFakeWorld();
  await fake.run("cluster", "create", "dev", "--network", "main");
  const { uid: entityUid = "" } = fake.server.find(`${project}/clusters/dev`)?.metadata ?? {};
  const stack = { entityUid, entityKind: "Cluster", entityName: "dev" };
  const items = [
    { address: "aws_vpc.main", action: "update", paths: ["tags", "cidr\u001b[31m"] },
    { address: "aws_eip.old", action, paths: [] },
  ];
  fake.server.setDrift(`${project}/drifts/${open}`, {
    uid: open,
    state: "OPEN",
    foundAt: "2026-01-01T00:00:00Z",
    ignored: 3,
    items,
    ...stack,
  });
  fake.server.setDrift(`${project}/drifts/${gone}`, { uid: gone, state: "GONE", foundAt: "2025-01-01T00:00:00Z", ...stack });
  return fake;
}

test("X033 open drift is listed with its size; with --all settled reports too", async () => {
  const { run } = await createWorld("delete");
  const { out } = await run("drift", "list");
  expect(out.split("\n")[0]).toMatch(/^DRIFT +ENTITY +STATE +RESOURCES +DELETED +IGNORED +FOUND$/);
  expect(out).toMatch(/aaaaaaaaaaaa +cluster\/dev +OPEN +2 +1 +3 /);
  expect(out).not.toContain("bbbbbbbbbbbb");
  expect((await run("drift", "list", "--all", "-o", "name")).out).toBe(`${open}\n${gone}\n`);
  expect((await run("drifts", "ls", "--entity", "cluster/dev", "-o", "wide")).out).toContain(open);
  expect((await run("-p", "other", "drift", "list")).err).toBe("no open drift reports in project other\n");
});

test("X033 a report shows resources, attributes and what to do", async () => {
  const { run } = await createWorld("delete");
  for (const text of ["cluster/dev", open, "aaaaaa"]) {
    const { out, err } = await run("drift", "get", text);
    expect(out).toContain("  ~ aws_vpc.main: tags, cidr [31m\n  - aws_eip.old\n");
    expect(err).toContain(`cloud drift accept ${text}`);
  }
  expect(JSON.parse((await run("drift", "get", "cluster/dev", "-o", "json")).out)).toMatchObject({ uid: open, ignored: 3 });
  expect((await run("drift", "get", gone)).err).toBe("");
  expect((await run("drift", "get", "cccccc")).code).toBe(3);
  expect((await run("drift", "get", "dev")).code).toBe(2);
});

test("X033 accepting drift updates the entity; the deletion of a resource cannot be accepted", async () => {
  const { run, server } = await createWorld();
  const { out, err } = await run("drift", "accept", "cluster/dev");
  const { operation } = server.find(`${project}/clusters/dev`)?.metadata ?? {};
  expect(out).toContain("drift in cluster/dev is accepted");
  expect(err).toBe(`follow progress with: cloud operation watch ${operation}\n`);
  expect((await run("drift", "accept", open)).code).toBe(4);
  expect((await (await createWorld("delete")).run("drift", "accept", "cluster/dev")).code).toBe(4);
});

test("X033 a correction is a separate operation, and --wait reports its result", async () => {
  const { run, start, server } = await createWorld();
  expect((await run("drift", "correct", "aaaaaa")).out).toBe("drift in cluster/dev is being corrected\n");
  const command = start("drift", "correct", "cluster/dev", "--wait");
  await expect.poll(command.err).toContain("correct cluster/dev: WAITING");
  const { operation, uid: entityUid } = server.find(`${project}/clusters/dev`)?.metadata ?? {};
  server.setDrift(`${project}/drifts/${open}`, {
    uid: open,
    state: "CORRECTED",
    entityUid: entityUid ?? "",
    entityKind: "Cluster",
    entityName: "dev",
    foundAt: "2026-01-01T00:00:00Z",
  });
  server.setStatus(`${project}/operations/${operation}`, { state: "DONE" });
  expect(await command.done).toMatchObject({ code: 0, out: "drift in cluster/dev is CORRECTED\n" });
});

test("X033 without an operation in the response, a correction follows the entity's newest operation", async () => {
  const { start, server } = await createWorld();
  const entityUid = server.find(`${project}/clusters/dev`)?.metadata.uid ?? "";
  const answer = { uid: open, state: "OPEN", entityUid, entityKind: "Cluster", entityName: "dev" };
  server.answerOnce("POST", /:correct$/, () => Response.json(answer));
  const command = start("drift", "correct", "cluster/dev", "--wait");
  await expect.poll(command.err).toContain("WAITING");
  server.setStatus(`${project}/operations/${server.find(`${project}/clusters/dev`)?.metadata.operation}`, { state: "FAILED" });
  expect((await command.done).code).toBe(7);
});

const built = { phase: "RUNNING", observedGeneration: 1 };

test("X080 drift check names the operation, and --wait shows what the check found", async () => {
  const { run, start, server } = await createWorld();
  const path = `${project}/clusters/dev`;
  server.setStatus(path, built);
  const { out, err } = await run("drift", "check", "cluster/dev");
  expect(out).toMatch(/^ENTITY +DRIFT +CHECKED +OPERATION +MESSAGE\ncluster\/dev +never checked/);
  expect(err).toMatch(/^follow progress with: cloud operation watch op-\d+\n$/);
  const command = start("drift", "check", "cluster/dev", "--wait", "-o", "json");
  await expect.poll(() => server.requests.filter((request) => request.path.endsWith(":check")).length).toBe(2);
  const { operation } = server.find(path)?.metadata ?? {};
  const drift = { state: "DRIFTED", checkedAt: "2026-01-01T00:00:00Z", resources: 2, message: "aws_vpc.main: tags changed" };
  server.setStatus(path, { ...built, drift });
  server.setStatus(`${project}/operations/${operation}`, { state: "DONE", message: "drift found" });
  const done = await command.done;
  expect(done.code).toBe(0);
  expect(JSON.parse(done.out)).toMatchObject({ items: [{ entity: "cluster/dev", operation, drift }] });
  expect((await run("get", "clusters")).out).toContain("RUNNING (drifted)");
  expect((await run("get", "clusters", "-o", "wide")).out).toContain("drifted: 2 resources");
  expect((await run("describe", "cluster", "dev")).out).toMatch(
    /^Drift: +drifted: 2 resources \(checked .+ ago\): aws_vpc.main/m,
  );
});

test("X080 without an entity, drift check covers everything that has been built", async () => {
  const { run, server } = await createWorld();
  expect((await run("drift", "check")).err).toBe("project default has no provisioned entities to check\n");
  server.setStatus(`${project}/clusters/dev`, built);
  expect((await run("drift", "check", "-o", "name")).out).toBe("cluster/dev\n");
});

test("X080 drift check rejects kinds that cannot be checked and lists those that can", async () => {
  const { run } = await createWorld();
  for (const text of ["account/main", "dev"]) expect((await run("drift", "check", text)).code).toBe(2);
  expect((await run("drift", "check", "account/main")).err).toContain("supported kinds: network, cluster, storage");
  expect((await run("drift", "check", "cluster/none")).code).toBe(3);
  expect((await run("drift", "check", "01990000-0000-7000-8000-cccccccccccc")).code).toBe(2);
});

test("X080 drift check --wait fails with the operation", async () => {
  const { start, server } = await createWorld();
  server.setStatus(`${project}/clusters/dev`, built);
  const command = start("drift", "check", "cluster/dev", "--wait");
  await expect.poll(command.err).toContain("check cluster/dev");
  const { operation } = server.find(`${project}/clusters/dev`)?.metadata ?? {};
  server.setStatus(`${project}/operations/${operation}`, { state: "FAILED", message: "no credentials" });
  expect((await command.done).code).toBe(7);
});

test("X080 a report shows old and new values and who made the change", async () => {
  const { run, server } = await createWorld();
  const { uid: entityUid = "" } = server.find(`${project}/clusters/dev`)?.metadata ?? {};
  const attributes = [
    { path: 'tags["team"]', before: "blue", after: "red" },
    { path: "password", sensitive: true },
  ];
  const by = { author: "alice\u001b[31m", authorAction: "CreateTags", changedAt: "2026-01-01T00:00:00Z" };
  const items = [{ address: "aws_vpc.main", action: "update", paths: ["tags"], attributes, ...by }];
  server.setDrift(`${project}/drifts/${open}`, {
    uid: open,
    state: "OPEN",
    entityUid,
    entityKind: "Cluster",
    entityName: "dev",
    items,
  });
  const { out } = await run("drift", "get", open);
  expect(out).toContain("  ~ aws_vpc.main: tags\n      changed by alice [31m (CreateTags) at 2026-01-01T00:00:00Z\n");
  expect(out).toMatch(/tags\["team"\] = "blue" -> "red"\n +password +=  ?\(sensitive\)/);
});
