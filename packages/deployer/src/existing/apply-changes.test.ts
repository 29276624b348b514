import { createLibrary, ownerTag, type CloudLibrary, type ClusterRequest } from "@cloudwright/clouds";
import { shortWaits } from "@cloudwright/clouds/testing";
import { isPayloadOf, readTaskPayload, type TaskPayload } from "@cloudwright/contract";
import type { CloudName } from "@cloudwright/contract/clouds";
import { Secret } from "@cloudwright/platform";
import { createMemoryInventory, type Inventory } from "@cloudwright/simulator";
import { startApiHost, type ApiHost } from "@cloudwright/simulator/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { existingClouds } from "../clouds.ts";
import type { ExecutorWork } from "../executor/executor.ts";
import { textOf } from "../read-spec.ts";
import type { JsonObject } from "../task.ts";
import { applyChanges } from "./apply-changes.ts";
import { renderChange, takeSnapshot } from "./describe-resources.ts";
import { listChanges, planChanges, type ExistingChange } from "./plan-changes.ts";
import { findOwner } from "./read-cluster.ts";

const tenant = "someone";
const uid = "01990000-0000-7000-8000-00000000000a";

/** Cluster request fields that differ between clouds, and the records that the request needs. */
const places: Readonly<
  Record<
    string,
    { readonly request: Partial<ClusterRequest>; prepare?(inventory: Inventory, options: JsonObject): Promise<void> }
  >
> = {
  aws: {
    request: { subnets: ["subnet-a", "subnet-b"] },
    async prepare(inventory) {
      const put = (type: string, id: string, attributes: Record<string, string>) =>
        inventory.put(tenant, { type, id, attributes: { id, region: "eu-west-1", ...attributes } });
      await put("aws_vpc", "vpc-1", { cidr_block: "10.0.0.0/16" });
      for (const [index, zone] of ["a", "b"].entries()) {
        const place = { vpc_id: "vpc-1", availability_zone: `eu-west-1${zone}`, cidr_block: `10.0.${index}.0/24` };
        await put("aws_subnet", `subnet-${zone}`, place);
      }
    },
  },
  gcp: { request: { zone: "europe-west1-b" } },
  azure: {
    request: {},
    async prepare(inventory, { subscriptionId }) {
      const id = `/subscriptions/${textOf(subscriptionId)}/resourceGroups/cloudwright`;
      await inventory.put(tenant, {
        type: "azurerm_resource_group",
        id,
        attributes: { id, name: "cloudwright", location: "westeurope" },
      });
    },
  },
};
const regions: Readonly<Record<string, string>> = { aws: "eu-west-1", gcp: "europe-west1", azure: "westeurope" };

describe.each(existingClouds.map(([cloud, facts]) => ({ cloud, facts })))("X016 $cloud", ({ cloud, facts }) => {
  let host: ApiHost;
  let library: CloudLibrary;
  let id: string;
  let type: string;

  beforeAll(async () => {
    const inventory = createMemoryInventory();
    host = await startApiHost({ inventory, secret: new Secret("test"), listen: { port: 0 } });
    const { options } = await host.issue(tenant, cloud, { region: regions[cloud] ?? "" });
    await places[cloud]?.prepare?.(inventory, options as JsonObject);
    library = createLibrary(cloud as CloudName, { ...(options as object), clock: shortWaits });
    const request = { name: "shop", version: "1.33", nodeCount: 2, pool: { name: "workers", labels: { team: "shop" } } };
    const made = await library.clusters.create({ ...request, ...places[cloud]?.request }, { wait: "ready" });
    id = made.id;
    type = made.nodePools[0]?.types[0] ?? "";
  });
  afterAll(async () => {
    await library?.close();
    await host?.close();
  });

  const payload = (
    spec: JsonObject,
    pools: readonly { readonly name: string; readonly [field: string]: unknown }[],
  ): TaskPayload<"Cluster"> => {
    const existing = { account: "prod", id, region: regions[cloud] ?? "", mode: "manage" };
    const nodePools = pools.map(({ name, ...own }) => ({ uid: `0199-${name}`, name, spec: own as JsonObject }));
    const read = readTaskPayload({ entity: { kind: "Cluster", uid, name: "shop", spec: { existing, ...spec } }, nodePools });
    if (!isPayloadOf(read, "Cluster")) throw new Error("not a cluster");
    return read;
  };
  const workers = { name: "workers", existing: true, min: 2, desired: 2, max: 2, nodeLabels: { team: "shop" } };

  function workOf(wanted: TaskPayload<"Cluster">): ExecutorWork {
    const signal = AbortSignal.timeout(100_000);
    const task = { payload: wanted, signal, progress: () => undefined, log: () => undefined };
    const session = { openCloud: async () => ({ openCluster: async () => Promise.reject(new Error("no Kubernetes here")) }) };
    return { task, account: { name: "prod", simulated: true, spec: {} }, session } as unknown as ExecutorWork;
  }

  /** Plans and applies changes, and checks that a second plan is empty. Returns the changes and the fields that changed in the cloud. */
  async function settle(
    wanted: TaskPayload<"Cluster">,
  ): Promise<{ changes: readonly ExistingChange[]; fields: readonly string[] }> {
    const before = await library.clusters.get(id);
    const changes = listChanges(facts, wanted, before);
    const work = workOf(wanted);
    expect(await applyChanges(library, work, { cluster: id, changes })).toEqual([]);
    const after = await library.clusters.get(id);
    expect(listChanges(facts, wanted, after)).toEqual([]);
    const [former, now] = [takeSnapshot(facts, before), takeSnapshot(facts, after)];
    const fields = Object.keys({ ...former, ...now }).flatMap((address) =>
      renderChange(address, "update", former[address] ?? null, now[address] ?? null).changedPaths.map(
        ({ path }) => `${address} ${String(path[0])}`,
      ),
    );
    return { changes, fields: [...new Set(fields)].toSorted() };
  }
  test("a cluster that an entity created is recognised by the tags of its resources", async () => {
    const request = { name: "ours", version: "1.33", nodeCount: 1, tags: { [ownerTag]: uid } };
    const ours = await library.clusters.create({ ...request, ...places[cloud]?.request }, { wait: "ready" });
    expect(findOwner(ours)).toBe(uid);
    const owners = (await library.clusters.list()).map((cluster) => [cluster.name, findOwner(cluster)] as const);
    expect(owners.toSorted(([one], [other]) => one.localeCompare(other))).toEqual([
      ["ours", uid],
      ["shop", undefined],
    ]);
    await library.clusters.delete(ours.id, { wait: "gone" });
  });

  const poolOf = (name: string): string => `${facts.types.pool}.${name}`;
  const top = `${facts.types.cluster}.this`;

  test("taking over a pool as it is needs no change", async () => {
    expect(await settle(payload({}, [{ ...workers, instanceType: type }]))).toEqual({ changes: [], fields: [] });
  });

  test("scaling changes the size of the pool and nothing else", async () => {
    const { changes, fields } = await settle(payload({}, [{ ...workers, desired: 3, max: 3 }]));
    expect(changes.map((change) => change.do)).toEqual(["resize"]);
    expect(fields.filter((field) => !/(min|max)_size$/.test(field))).toEqual([`${poolOf("workers")} desired_size`]);
  });

  test("labels are changed and removed", async () => {
    const { changes, fields } = await settle(payload({}, [{ ...workers, desired: 3, max: 3, nodeLabels: { tier: "web" } }]));
    expect(changes.map((change) => change.do)).toEqual(["label"]);
    expect(fields).toEqual([`${poolOf("workers")} labels`]);
    expect(await library.nodePools.get(id, "workers")).toMatchObject({ labels: { tier: "web" } });
  });

  test("an upgrade changes the versions of the control plane and the pool, and nothing else", async () => {
    const desired = { ...workers, desired: 3, max: 3, nodeLabels: { tier: "web" } };
    const { changes, fields } = await settle(payload({ version: "1.34" }, [desired]));
    expect(changes.map((change) => change.do)).toEqual(["upgrade", "upgrade-pool"]);
    expect(fields).toEqual([`${top} version`, `${poolOf("workers")} version`].toSorted());
  });

  test("a pool of the platform is created with its tag and deleted, and pools of others stay", async () => {
    const desired = { ...workers, desired: 3, max: 3, nodeLabels: { tier: "web" } };
    const extra = { name: "extra", min: 1, desired: 1, max: 2, nodeLabels: { own: "yes" } };
    const created = await settle(payload({ version: "1.34" }, [desired, extra]));
    expect(created.changes.map((change) => change.do)).toEqual(["create-pool"]);
    expect(await library.nodePools.get(id, "extra")).toMatchObject({ count: 1, labels: { own: "yes" } });
    const deleted = await settle(payload({ version: "1.34" }, [desired]));
    expect(deleted.changes).toEqual([{ do: "delete-pool", pool: "extra" }]);
    expect((await library.nodePools.list(id)).map(({ name }) => name)).toEqual(["workers"]);
    // A pool that was taken over is left unchanged when its entity no longer exists.
    expect(await settle(payload({}, []))).toEqual({ changes: [], fields: [] });
  });

  test("a pool that cannot be built reports its own error, and other pools are created and deleted", async () => {
    const desired = { ...workers, desired: 3, max: 3, nodeLabels: { tier: "web" } };
    const extra = { name: "leaving", min: 1, desired: 1, max: 2, nodeLabels: {} };
    await settle(payload({ version: "1.34" }, [desired, extra]));
    const odd = { ...extra, name: "odd", instanceType: "no-such-type" };
    const wanted = payload({ version: "1.34" }, [{ ...desired, instanceType: "another-type" }, odd, { ...extra, name: "more" }]);
    const { changes, problems } = planChanges(facts, wanted, await library.clusters.get(id));
    expect(problems).toMatchObject([{ pool: "workers", fault: { code: "deployer.bad_spec" } }]);
    const failed = await applyChanges(library, workOf(wanted), { cluster: id, changes });
    expect(failed).toMatchObject([{ pool: "odd", fault: { code: "clouds.invalid", left: [] } }]);
    expect((await library.nodePools.list(id)).map(({ name }) => name).toSorted()).toEqual(["more", "workers"]);
    await settle(payload({ version: "1.34" }, [desired]));
  });
});
