import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const path = "/v1/projects/default/agents/office";

test("M003 an agent is drained and undrained", async () => {
  const { run, server } = createFakeWorld();
  await run("agent", "create", "office");
  expect((await run("agent", "drain", "office")).code).toBe(0);
  expect(server.find(path)?.spec).toMatchObject({ draining: true });
  expect((await run("undrain", "agent", "office")).code).toBe(0);
  expect(server.find(path)?.spec).toMatchObject({ draining: false });
});

test("M003 agents are listed with release, tasks and last contact", async () => {
  const { run, server } = createFakeWorld();
  server.put(path, {
    metadata: { name: "office" },
    status: { version: "0.1.0", runningTasks: 3, labels: { cloud: "*" } } as object,
  });
  const { out } = await run("agent", "list", "-o", "wide");
  expect(out).toMatch(/office .*0\.1\.0 .*no +3 .*cloud=\*/);
});

test("M003 standard output has only the join token, and no printed command line contains it", async () => {
  const { run, server } = createFakeWorld();
  const { out, err, code } = await run("-p", "system", "agent", "join-token", "--ttl", "10m");
  expect([code, out]).toEqual([0, "cwj_test\n"]);
  expect(err).toContain("CLOUDWRIGHT_SERVER=http://server CLOUDWRIGHT_JOIN_TOKEN_FILE=");
  expect(err).not.toContain("cwj_test");
  expect(server.requests.at(-1)).toMatchObject({ path: "/v1/projects/system/jointokens", body: { ttlSeconds: 600 } });
});

test("X012 a whole project is paused", async () => {
  const { run, server } = createFakeWorld();
  await run("project", "create", "shop");
  expect((await run("pause", "project", "shop")).out).toBe("project/shop paused\n");
  expect(server.find("/v1/projects/shop")?.metadata.paused).toBe(true);
});

test("M003 join-token works for agents only", async () => {
  expect((await createFakeWorld().run("join-token", "cluster")).code).toBe(2);
});
