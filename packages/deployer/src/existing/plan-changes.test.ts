import type { ClusterInfo, NodePoolInfo } from "@cloudwright/clouds";
import { isPayloadOf, readTaskPayload, type JsonObject, type TaskPayload } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { existingEks } from "./aws/facts.ts";
import { existingAks } from "./azure/facts.ts";
import type { ExistingCloud } from "./existing-cloud.ts";
import { existingGke } from "./gcp/facts.ts";
import { renderOutputs } from "./render-outputs.ts";
import { compareSnapshots, takeSnapshot } from "./describe-resources.ts";
import { listChanges } from "./plan-changes.ts";

const uid = "0199-cluster";

function pool(name: string, change: Partial<NodePoolInfo> = {}): NodePoolInfo {
  const facts = { id: `arn:${name}`, cluster: "shop", status: "running", nativeStatus: "ACTIVE", version: "1.33" } as const;
  const size = { count: 2, min: 1, max: 4, types: ["m6i.large"], zones: [], labels: {}, tags: {} };
  return { name, ...facts, ...size, role: "arn:role", nodeSelector: `pool=${name}`, ...change };
}

function cluster(...nodePools: readonly NodePoolInfo[]): ClusterInfo {
  const place = { id: "arn:shop", name: "shop", cloud: "aws", region: "eu-west-1", location: "eu-west-1" };
  return { ...place, version: "1.33", status: "running", nativeStatus: "ACTIVE", nodePools, subnets: [], tags: {} };
}

function payload(spec: JsonObject, nodePools: JsonObject = {}): TaskPayload<"Cluster"> {
  const existing = { account: "prod", id: "arn:shop", region: "eu-west-1", mode: "manage" };
  const read = readTaskPayload({
    entity: { kind: "Cluster", uid, name: "shop", spec: { existing, ...spec } },
    nodePools: Object.entries(nodePools).map(([name, of]) => ({ uid: `0199-${name}`, name, spec: of ?? {} })),
  });
  if (!isPayloadOf(read, "Cluster")) throw new Error("not a cluster");
  return read;
}

const same = { existing: true, min: 1, desired: 2, max: 4, instanceType: "m6i.large" };
const list = (of: TaskPayload<"Cluster">, now: ClusterInfo) => listChanges(existingEks, of, now);

test("X016 an observed cluster has no changes, whatever its node pools say", () => {
  const observed = payload(
    { existing: { account: "a", id: "arn:shop", region: "r", mode: "observe" }, version: "1.34" },
    { workers: same },
  );
  expect(list(observed, cluster(pool("workers", { count: 9 })))).toEqual([]);
});

test("X016 a pool that is taken over as it is needs no change, and pools without an entity are left alone", () => {
  expect(list(payload({}, { workers: same }), cluster(pool("workers"), pool("others", { count: 7 })))).toEqual([]);
});

test("X016 size, labels and versions of managed pools are changed, the control plane first", () => {
  const desired = { ...same, desired: 3, max: 5, nodeLabels: { team: "shop" } };
  expect(list(payload({ version: "1.34" }, { workers: desired }), cluster(pool("workers"), pool("others")))).toEqual([
    { do: "upgrade", version: "1.34" },
    { do: "resize", pool: "workers", count: 3, max: 5 },
    { do: "label", pool: "workers", labels: { team: "shop" } },
    { do: "upgrade-pool", pool: "workers", version: "1.34" },
  ]);
});

test("X016 only pools with the tag of this entity are deleted", () => {
  const own = pool("extra", { tags: { "cloudwright:entity": uid } });
  const foreign = pool("theirs", { tags: { "cloudwright:entity": "0199-another" } });
  expect(list(payload({}), cluster(pool("workers"), own, foreign))).toEqual([{ do: "delete-pool", pool: "extra" }]);
});

test("X016 a new pool is created with the tag of the entity and the role of another pool", () => {
  const [created] = list(payload({}, { extra: { min: 1, desired: 1, max: 2 } }), cluster(pool("workers")));
  expect(created).toMatchObject({
    do: "create-pool",
    request: { count: 1, role: "arn:role", tags: { "cloudwright:entity": uid } },
  });
  expect(() => list(payload({}, { extra: { min: 1, desired: 1, max: 2 } }), cluster())).toThrow("needs the role of another pool");
});

test("X016 a new pool with several machine types is rejected, because it would be created with only one of them", () => {
  const create = (instanceTypes: string[]) =>
    list(payload({}, { extra: { min: 1, desired: 1, max: 2, instanceTypes } }), cluster(pool("workers")));
  expect(create(["m6i.large"])).toMatchObject([{ request: { type: "m6i.large" } }]);
  expect(() => create(["m6i.large", "m5.large"])).toThrow("can have only one");
});

test.each([existingGke, existingAks])(
  "X016 a new pool has limits only with autoscaling where limits turn the cloud's autoscaler on",
  (facts) => {
    const create = (spec: JsonObject) => listChanges(facts, payload({}, { extra: spec }), cluster())[0];
    expect(create({ min: 1, desired: 1, max: 2 })).toMatchObject({ request: expect.not.objectContaining({ max: 2 }) });
    expect(create({ min: 1, desired: 1, max: 2, autoscaling: true })).toMatchObject({ request: { count: 1, min: 1, max: 2 } });
  },
);

test("X016 the size of a pool that the cloud scales is left alone, but its limits are changed", () => {
  const scaled = { ...same, autoscaling: true, max: 5 };
  expect(list(payload({}, { workers: scaled }), cluster(pool("workers", { count: 4 })))).toEqual([
    { do: "resize", pool: "workers", max: 5 },
  ]);
});

test("X016 only pools that the cloud scales by itself are reported as such", () => {
  const reported = (facts: ExistingCloud, change: Partial<NodePoolInfo>) => {
    const seen = renderOutputs(facts, cluster(pool("workers", change)), { missing: [] }, { missing: [], managed: new Set() });
    return (seen["existing"] as { nodePools: { autoscaling: boolean }[] }).nodePools[0]?.autoscaling;
  };
  const { min: _min, max: _max, ...fixed } = pool("workers");
  const isScaled = [existingEks, existingGke, existingAks].map((facts) => reported(facts, {}));
  expect(isScaled).toEqual([false, true, true]);
  const seen = renderOutputs(existingGke, cluster(fixed), { missing: [] }, { missing: [], managed: new Set() });
  expect(seen).toMatchObject({ existing: { nodePools: [{ autoscaling: false, min: 2, max: 2 }] } });
});

test("X016 a pool of somebody else is neither adopted by name nor given other machines", () => {
  expect(() => list(payload({}, { workers: { min: 1, desired: 2, max: 4 } }), cluster(pool("workers")))).toThrow(
    "did not create",
  );
  const other = { ...same, instanceType: "m7i.large" };
  expect(() => list(payload({}, { workers: other }), cluster(pool("workers")))).toThrow("cannot be changed");
});

test("X016 drift names what changed since the baseline, but not the size of a pool within its limits", () => {
  const baseline = takeSnapshot(existingEks, cluster(pool("workers"), pool("gone")));
  const now = takeSnapshot(existingEks, { ...cluster(pool("workers", { count: 3 })), version: "1.34" });
  const fieldsOf = (paths: readonly { readonly path: readonly (string | number)[] }[]) => [
    ...new Set(paths.map(({ path }) => path[0])),
  ];
  const found = compareSnapshots(baseline, now).map(({ address, action, changedPaths }) => [
    address,
    action,
    fieldsOf(changedPaths),
  ]);
  expect(found).toEqual([
    ["aws_eks_cluster.this", "update", ["version", "node_pools"]],
    ["aws_eks_node_group.gone", "delete", []],
  ]);
});
