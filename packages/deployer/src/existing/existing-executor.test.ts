import { ownerTag, type CloudLibrary } from "@cloudwright/clouds";
import { isPayloadOf, readTaskPayload } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { existingClouds } from "../clouds.ts";
import type { ExecutorWork } from "../executor/executor.ts";
import { applyChanges } from "./apply-changes.ts";
import { createExistingExecutor } from "./existing-executor.ts";

const uid = "01990000-0000-7000-8000-00000000000a";

/** Creates the executor's input for an imported cluster, and a fake library that adds every call to `calls`. */
function createWork(calls: string[], tags: Readonly<Record<string, string>> = {}) {
  const spec = { existing: { account: "prod", id: "shop", region: "r", mode: "manage" } };
  const payload = readTaskPayload({ entity: { kind: "Cluster", uid, name: "shop", spec }, nodePools: [] });
  if (!isPayloadOf(payload, "Cluster")) throw new Error("not a cluster");
  const note = (name: string, answer: unknown) => async () => {
    calls.push(name);
    return answer;
  };
  const library = {
    clusters: { delete: note("delete the cluster", undefined) },
    nodePools: { list: note("list", [{ name: "workers", tags }]), delete: note("delete the pool", undefined) },
  } as unknown as CloudLibrary;
  const task = { payload, signal: new AbortController().signal, progress: () => undefined, log: () => undefined };
  const session = { openCloud: note("open", { openLibrary: async () => library }) };
  const work = { task, account: { name: "prod" }, session, action: "destroy" } as unknown as ExecutorWork;
  return { work, library };
}

test.each(existingClouds)(
  "X016 %s: an agent that is told to destroy an imported cluster refuses and sends no request",
  async (cloud, facts) => {
    const calls: string[] = [];
    const executor = createExistingExecutor(cloud, facts).open(createWork(calls).work);
    await expect(executor.destroy()).rejects.toMatchObject({ code: "deployer.not_created_here" });
    expect(calls).toEqual([]);
  },
);

test.each(existingClouds)("X016 %s: a pool without the tag of this entity is not deleted, even if a plan says so", async () => {
  for (const tags of [{}, { [ownerTag]: "01990000-0000-7000-8000-00000000000b" }]) {
    const calls: string[] = [];
    const { work, library } = createWork(calls, tags);
    const changes = [{ do: "delete-pool", pool: "workers" } as const];
    const applied = applyChanges(library, work, { cluster: "shop", changes });
    await expect(applied).rejects.toMatchObject({ code: "deployer.not_created_here" });
    expect(calls).toEqual(["list"]);
  }
});
