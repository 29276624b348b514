import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

async function createWorld() {
  const { run, server } = createFakeWorld();
  await run("cluster", "create", "shop", "--network", "main");
  const path = "/v1/projects/default/clusters/shop";
  const existing = { account: "prod", id: "arn:aws:eks:eu-west-1:123456789012:cluster/shop", region: "eu-west-1" };
  server.put(path, { ...server.find(path), spec: { existing } });
  const message = "the platform may not patch nodes in the cluster";
  const help = "Run: kubectl create clusterrole cloudwright-patch-nodes --verb=patch --resource=nodes";
  server.setFindings([{ message, help, severity: "should" }]);
  return { run, server, path, message, help };
}

test("X016 manage says which rights are missing and how to grant them, also if nobody is asked", async () => {
  const { run, server, path, message, help } = await createWorld();
  const { code, err } = await run("k8s", "manage", "shop", "--yes");
  expect(code).toBe(0);
  for (const text of [message, help]) expect(err).toContain(text);
  expect(server.find(path)?.spec).toMatchObject({ existing: { mode: "manage" } });
});

test("X016 the preview of manage lists missing rights with their commands and changes nothing", async () => {
  const { run, server, path, message, help } = await createWorld();
  const { code, out } = await run("k8s", "manage", "shop", "--preview");
  expect(code).toBe(0);
  for (const text of [message, help]) expect(out).toContain(text);
  expect(server.find(path)?.spec).not.toMatchObject({ existing: { mode: "manage" } });
  expect(await run("k8s", "manage", "shop")).toMatchObject({ err: expect.stringContaining("cli.not_confirmed") as string });
});
