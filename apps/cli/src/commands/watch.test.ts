import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const path = "/v1/projects/default/clusters/dev";

async function createWorld() {
  const fake = createFakeWorld();
  await fake.run("cluster", "create", "dev", "--network", "main");
  return fake;
}

test("X002 --watch shows what exists, then changes as they happen", async () => {
  const { start, server, interrupt } = await createWorld();
  const command = start("get", "clusters", "--watch");
  await expect.poll(command.out).toMatch(/EVENT .*\nADDED +dev +PENDING/);
  server.setStatus(path, { phase: "RUNNING" });
  await expect.poll(command.out).toMatch(/MODIFIED +dev +RUNNING/);
  interrupt();
  expect((await command.done).code).toBe(130);
});

test("X002 watch in json is one object a line", async () => {
  const { start, server, interrupt } = await createWorld();
  const command = start("watch", "-o", "json");
  await expect.poll(command.out).toContain("ADDED");
  server.setStatus(path, { phase: "RUNNING" });
  await expect.poll(() => command.out().split("\n").length).toBe(3);
  const lines = command
    .out()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; object: { kind: string } });
  expect(lines.map(({ type, object }) => `${type} ${object.kind}`)).toEqual(["ADDED Cluster", "MODIFIED Cluster"]);
  interrupt();
  await command.done;
});

test("X002 a named entity is watched alone", async () => {
  const { start, run, server, interrupt } = await createWorld();
  await run("cluster", "create", "other", "--network", "main");
  const command = start("get", "cluster", "dev", "-w", "-o", "name");
  await expect.poll(command.out).toBe("cluster/dev\n");
  server.setStatus("/v1/projects/default/clusters/other", { phase: "RUNNING" });
  server.setStatus(path, { phase: "RUNNING" });
  await expect.poll(command.out).toBe("cluster/dev\ncluster/dev\n");
  interrupt();
  await command.done;
});

test("M003 --wait returns when the entity runs as its spec says", async () => {
  const { start, server } = createFakeWorld();
  const command = start("cluster", "create", "dev", "--network", "main", "--wait");
  await expect.poll(command.err).toContain("PENDING");
  server.setStatus(path, { phase: "RUNNING", observedGeneration: 0 });
  await expect.poll(command.err).toContain("RUNNING");
  server.setStatus(path, { phase: "RUNNING", observedGeneration: 1 });
  expect(await command.done).toMatchObject({ code: 0, out: "cluster/dev is RUNNING\n" });
});

test("M053 --wait ends with an error when the work failed", async () => {
  const { start, server } = createFakeWorld();
  const command = start("cluster", "create", "dev", "--network", "main", "--wait");
  await expect.poll(command.err).toContain("PENDING");
  server.setStatus(path, { phase: "FAILED", observedGeneration: 1, message: "no quota" });
  expect(await command.done).toMatchObject({ code: 1, err: expect.stringContaining("no quota (cli.wait_failed)") as string });
});

test("M003 --wait gives up after --timeout", async () => {
  const { start, clock } = createFakeWorld();
  const command = start("cluster", "create", "dev", "--network", "main", "--wait", "--timeout", "5m");
  await expect.poll(command.err).toContain("PENDING");
  clock.advance(5 * 60_000);
  expect(await command.done).toMatchObject({ code: 6, err: expect.stringContaining("cli.wait_timeout") as string });
});

test("M003 kinds without work behind them are there at once", async () => {
  expect((await createFakeWorld().run("environment", "create", "e", "--wait")).code).toBe(0);
});

test("M003 delete --wait returns when it is gone", async () => {
  const { run } = await createWorld();
  expect((await run("delete", "cluster", "dev", "--wait")).out).toBe("cluster/dev deleted\n");
});
