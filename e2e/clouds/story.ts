import { isCloudFault, type ClusterRequest, type InstanceRequest } from "@cloudwright/clouds";
import assert from "node:assert/strict";
import { listTagged, tagKey } from "./clean-up.ts";
import type { Target } from "./targets.ts";

export interface StoryOptions {
  /** Name of the cluster and the machine, and the value of their tag. */
  readonly name: string;
  readonly upgrade: boolean;
  readonly signal: AbortSignal;
  readonly note: (line: string) => void;
}

/**
 * Runs the library's contract suite in its cheapest form: one cluster with the smallest nodes, a second pool, and one machine. Rejects at
 * the first violation, or with the signal's reason. `cleanUp` deletes the resources that exist at that point.
 */
export async function runStory(target: Target, { name, upgrade, signal, note }: StoryOptions): Promise<void> {
  const { library } = target;
  const { clusters, nodePools, instances } = library;
  const tags = { [tagKey]: name };
  const step = async (title: string, run: () => Promise<void>): Promise<void> => {
    signal.throwIfAborted();
    note(title);
    await run();
  };

  let version = "";
  await step("list the available versions", async () => {
    const offered = await library.availableVersions({ signal });
    const minors = [...new Set(offered.filter(({ support }) => support !== "preview").map(({ minor }) => minor))];
    // A cluster that already has the newest version could not be upgraded.
    version = minors[upgrade ? 1 : 0] ?? "";
    assert.notEqual(version, "", "the cloud offers too few versions");
  });

  const request: ClusterRequest = { name, version, nodeCount: 1, nodeType: target.nodeType, tags, ...subnetsOf(target) };
  await step(`create the cluster ${name} with Kubernetes ${version} and one node (this takes 5 to 20 minutes)`, async () => {
    const made = await clusters.create(request, { signal, token: name });
    const again = await clusters.create(request, { signal, token: name });
    assert.equal(again.id, made.id, "a repeated create made a second cluster");
    const ready = await clusters.waitReady(name, { signal, onStatus: reportChanges(note) });
    assert.equal(ready.status, "running");
    assert.equal(ready.nodePools.length, 1);
  });

  await step("find the cluster by name, ID and list", async () => {
    const byName = await clusters.get(name, { signal });
    assert.deepEqual(await clusters.get(byName.id, { signal }), byName);
    assert.equal((await clusters.list({ signal })).filter((each) => each.id === byName.id).length, 1);
    assert.ok(byName.version.includes(version), `the cluster has version ${byName.version}`);
    const kubeconfig = await clusters.kubeconfig(name, { signal });
    assert.ok(byName.endpoint !== undefined && kubeconfig.includes(byName.endpoint), "the kubeconfig lacks the endpoint");
    await assert.rejects(clusters.create(request, { signal }), (error) => isCloudFault(error, "conflict"));
  });

  await step("create a second node pool, scale it, and delete it", async () => {
    const pool = { name: "second", count: 1, type: target.nodeType };
    await nodePools.create(name, pool, { signal, token: `${name}-second`, wait: "ready" });
    assert.equal((await nodePools.scale(name, "second", 2, { signal, wait: "ready" })).count, 2);
    await nodePools.delete(name, "second", { signal, drain: async () => undefined });
    assert.deepEqual(
      (await nodePools.list(name, { signal })).filter((each) => each.name === "second"),
      [],
    );
  });

  if (upgrade) {
    const next = `1.${Number(version.split(".")[1]) + 1}`;
    await step(`upgrade the cluster to Kubernetes ${next}`, async () => {
      const upgraded = await library.upgrade(name, { version: next }, { signal });
      assert.ok(
        upgraded.nodePools.every((pool) => pool.version.includes(next)),
        "a node pool was not upgraded",
      );
    });
  }

  const [subnet] = target.subnets;
  const machine: InstanceRequest = {
    name,
    image: "ubuntu-24.04",
    type: target.machineType,
    tags,
    ...(subnet === undefined ? {} : { subnet }),
  };
  await step("create a machine, stop it, start it, and terminate it", async () => {
    const made = await instances.create(machine, { signal, token: name, wait: "ready" });
    assert.equal(
      (await instances.create(machine, { signal, token: name })).id,
      made.id,
      "a repeated create made a second machine",
    );
    assert.equal((await instances.stop(made.id, { signal })).status, "stopped");
    assert.equal((await instances.start(name, { signal })).status, "running");
    await instances.terminate(made.id, { signal });
    assert.equal(await instances.find(name, { signal }), undefined);
  });

  await step("delete the cluster", async () => {
    await clusters.delete(name, { signal });
    assert.deepEqual(await listTagged(library, (value) => value === name), []);
  });
}

const subnetsOf = ({ subnets }: Target): Partial<ClusterRequest> => (subnets.length === 0 ? {} : { subnets });

function reportChanges(note: (line: string) => void): (status: string, native: string) => void {
  let last = "";
  return (status, native) => {
    if (native !== last) note(`  ${status} (${native})`);
    last = native;
  };
}
