import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { describeKubernetesObjects } from "../../testing/kubernetes-objects-suite.ts";
import { simulatorFaults } from "../../faults.ts";
import { createFileObjects } from "./file-objects.ts";
import { createMemoryObjects } from "./memory-objects.ts";

const folders: string[] = [];
const folder = async (): Promise<string> => {
  const made = await mkdtemp(join(tmpdir(), "objects-"));
  folders.push(made);
  return made;
};
afterAll(async () => {
  for (const made of folders) await rm(made, { recursive: true });
});

describeKubernetesObjects("in memory", async () => ({ store: createMemoryObjects() }));
describeKubernetesObjects("in files", async () => {
  const directory = await folder();
  return { store: createFileObjects(directory), reopen: () => createFileObjects(directory) };
});

const record = { id: "one", version: "v1.32.4", createdAtMs: 1_000 };
const change = (version: number, name: string, isThere = true) => ({
  version,
  key: { resource: "configmaps", namespace: "n", name },
  object: isThere
    ? {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, uid: "u", resourceVersion: String(version), creationTimestamp: "" },
      }
    : undefined,
});

test("M130 a partial line left by a killed process is ignored", async () => {
  const directory = await folder();
  const store = createFileObjects(directory);
  await store.createCluster(record);
  await store.commit("one", 0, [change(1, "a")]);
  await appendFile(join(directory, "one.log"), '{"v":2,"k":["configmaps","n');
  const again = createFileObjects(directory);
  expect(await again.load("one")).toMatchObject({ version: 1, objects: [{ key: { name: "a" } }] });
  await again.commit("one", 1, [change(2, "b")]);
  expect((await createFileObjects(directory).load("one")).objects).toHaveLength(2);
});

test("M130 a log with many changes stays small and keeps its version", async () => {
  const directory = await folder();
  const store = createFileObjects(directory);
  await store.createCluster(record);
  for (let version = 1; version < 700; version += 2)
    await store.commit("one", version - 1, [change(version, "a"), change(version + 1, "a", false)]);
  expect((await readFile(join(directory, "one.log"), "utf8")).split("\n").length).toBeLessThan(500);
  expect(await createFileObjects(directory).load("one")).toEqual({ version: 700, objects: [] });
});

test("M130 an id that could escape the directory is rejected", async () => {
  await expect(createFileObjects(await folder()).createCluster({ ...record, id: "../x" })).rejects.toMatchObject({
    code: simulatorFaults.bad_cluster_id.code,
  });
});
