import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const path = "/v1/projects/default/clusters/dev";

async function createWorld() {
  const fake = createFakeWorld();
  await fake.run("cluster", "create", "dev", "--network", "main");
  return fake;
}

test("X002 --watch shows existing entities, then changes", async () => {
  const { start, server, interrupt } = await createWorld();
  const command = start("get", "clusters", "--watch");
  await expect.poll(command.out).toMatch(/EVENT .*\nADDED +dev +PENDING/);
  server.setStatus(path, { phase: "RUNNING" });
  await expect.poll(command.out).toMatch(/MODIFIED +dev +RUNNING/);
  interrupt();
  expect((await command.done).code).toBe(130);
});

test("X002 watch with json prints one object per line", async () => {
  const { start, server, interrupt } = await createWorld();
  const command = start("watch", "-o", "json");
  await expect.poll(() => command.out().split("\n").length).toBe(3);
  server.setStatus(path, { phase: "RUNNING" });
  await expect.poll(() => command.out().split("\n").length).toBe(4);
  const lines = command
    .out()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; object: { kind: string } });
  expect(lines.map(({ type, object }) => `${type} ${object.kind}`)).toEqual([
    "ADDED Cluster",
    "ADDED Operation",
    "MODIFIED Cluster",
  ]);
  interrupt();
  await command.done;
});

test("X002 watching a named entity shows only its changes", async () => {
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
