import { openSimulatedCluster } from "@cloudwright/kube/testing";
import { expect, onTestFinished, test } from "vitest";
import type { Cloud } from "../../cloud.ts";
import { requireAccount } from "../../credentials.ts";
import { createClusterTask, openTestCloud } from "../../testing/cluster-task.ts";
import type { TestTaskOptions } from "../../testing/test-task.ts";
import { gcpClusterBlueprint as blueprint } from "./cluster.ts";

const node = (name: string, pool: string, gkePool: string) => ({
  name,
  labels: { "cloudwright.dev/pool": pool, "cloud.google.com/gke-nodepool": gkePool },
});
const web = { uid: "p", name: "web", spec: { min: 1, desired: 2, max: 2 } };

/** Deletes the GKE node pool `web-b-1a2b3c` and returns the nodes that were drained first. */
async function listDrained(options: TestTaskOptions, isRemoval = false): Promise<string[]> {
  const cluster = await openSimulatedCluster([
    node("web-b-1", "web", "web-b-1a2b3c"),
    node("web-c-1", "web", "web-c-1a2b3c"),
    node("default-b-1", "default", "default-b-4d5e6f"),
  ]);
  onTestFinished(() => cluster.close());
  const task = createClusterTask("cluster.apply", options);
  const cloud = await (openTestCloud(cluster.access) as unknown as () => Promise<Cloud>)();
  const id = "projects/p/locations/europe-west1/clusters/dev/nodePools/web-b-1a2b3c";
  const work = { task, account: requireAccount(task), isRemoval };
  await blueprint.beforeDelete?.({ type: "google_container_node_pool", name: "web-b", id }, cloud, work);
  const { items } = await cluster.client.list({ apiVersion: "v1", kind: "Node" });
  const isDrained = ({ spec }: (typeof items)[number]) => (spec as { readonly unschedulable?: boolean }).unschedulable === true;
  return items
    .filter(isDrained)
    .map(({ metadata }) => metadata.name)
    .toSorted();
}

test("M125 a pool that goes is drained in all zones at once, so that its pods do not move to nodes that go next", async () => {
  expect(await listDrained({ spec: { workers: 1 } })).toEqual(["web-b-1", "web-c-1"]);
});

test("M125 a pool that stays is drained only in the zone that is replaced, and not at all if the whole cluster goes", async () => {
  expect(await listDrained({ nodePools: [web] })).toEqual(["web-b-1"]);
  expect(await listDrained({ nodePools: [web] }, true)).toEqual([]);
});
