import type { JsonObject } from "@cloudwright/contract";

/** An entity whose run is interrupted, with the released configuration that builds it. */
export interface Target {
  /** A description such as `network/aws/v1.0.0, 3 zones`. */
  readonly name: string;
  readonly collection: "networks" | "clusters" | "storages";
  readonly spec: JsonObject;
  /** The zones of the network that contains the entity. */
  readonly zones: readonly string[];
}

const zonesOf = (count: number): string[] => ["a", "b", "c"].slice(0, count);
const place = { account: "sim", region: "eu-west-1" };

function createTarget(folder: string, count: number, rest: Pick<Target, "collection"> & { readonly spec: JsonObject }): Target {
  const infra = { version: folder.split("/").at(-1) ?? "" };
  const type = rest.collection === "storages" ? ` (${"bucket" in rest.spec ? "bucket" : "volume"})` : "";
  const name = `${folder}${type}, ${count} ${count === 1 ? "zone" : "zones"}`;
  return { ...rest, name, zones: zonesOf(count), spec: { ...rest.spec, infra } };
}

const networks = ["v0.1.0", "v1.0.0", "v1.1.0", "v1.2.0"].flatMap((version) =>
  [1, 2, 3].map((count) => {
    const aws = version === "v0.1.0" ? {} : { aws: { flowLogs: true, loadBalancerIps: 1, interfaceEndpoints: ["sts"] } };
    const spec = { ...place, zones: zonesOf(count), nat: count === 2 ? "per-zone" : "single", ...aws };
    return createTarget(`network/aws/${version}`, count, { collection: "networks", spec });
  }),
);

// A cluster needs subnets in two zones.
const clusters = ["v0.1.0", "v1.0.0", "v1.1.0"].flatMap((version) =>
  [2, 3].map((count) => {
    const aws = version === "v0.1.0" ? {} : { aws: { karpenter: { enabled: true } } };
    const spec = { network: `base-${count}`, workers: 1, version: "1.33", ...aws };
    return createTarget(`kubernetes/aws/${version}`, count, { collection: "clusters", spec });
  }),
);

const storages = ["v0.1.0", "v1.0.0", "v1.1.0", "v1.2.0"].flatMap((version) =>
  [{ bucket: { versioning: true, expireAfterDays: 30 } }, { volume: { sizeGib: 10, zone: "a" } }].map((type) =>
    createTarget(`storage/aws/${version}`, 2, { collection: "storages", spec: { cluster: "base", ...type } }),
  ),
);

/** Every released configuration, with every number of zones that it supports. */
export const targets: readonly Target[] = [...networks, ...clusters, ...storages];
