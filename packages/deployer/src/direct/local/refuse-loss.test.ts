import { expect, test } from "vitest";
import type { ResourceType } from "../../executor/in-process/blueprint.ts";
import { createTestTask } from "../../testing/test-task.ts";
import { refuseLoss } from "./refuse-loss.ts";

const created: string[] = [];
const type: ResourceType = {
  name: "local_volume",
  immutable: [],
  create: async (_attributes, { name }) => {
    created.push(name);
    return { id: name, attributes: {} };
  },
  read: async () => undefined,
  update: async () => ({}),
  delete: async () => undefined,
  listOwned: async () => [],
};
const owner = { entityUid: "e", name: "this", token: "t" };
const { signal } = new AbortController();

test("M206 a volume whose data disappeared is not silently replaced by an empty one", async () => {
  const built = refuseLoss(type, { task: createTestTask("volume.apply", { outputs: { volume_id: "v-this" } }) }, "volume_id");
  await expect(built.create({}, owner, signal)).rejects.toMatchObject({ code: "deployer.data_missing" });
  expect(created).toEqual([]);
});

test("M206 a volume that was never built is created", async () => {
  const fresh = refuseLoss(type, { task: createTestTask("volume.apply") }, "volume_id");
  await fresh.create({}, owner, signal);
  expect(created).toEqual(["this"]);
});
