import type { JsonObject } from "@cloudwright/contract";

/** An entity whose run is interrupted, with the released configuration that builds it. */
export interface Target {
  /** A description such as `network/aws/v1.0.0, 3 zones`. */
  readonly name: string;
  readonly cloud: TargetCloud;
  readonly collection: "networks" | "clusters" | "storages";
  readonly spec: JsonObject;
  /** The network that contains the entity. Networks have none. */
  readonly base: JsonObject | undefined;
}

export const targetClouds = ["aws", "gcp", "azure"] as const;
export type TargetCloud = (typeof targetClouds)[number];

/** What differs between the clouds' targets. */
interface CloudTargets {
  readonly region: string;
  readonly zones: readonly [string, string, string];
  readonly networks: readonly string[];
  readonly clusters: readonly string[];
  /** The smallest number of zones that a cluster needs. */
  readonly fewestClusterZones: number;
  readonly storages: readonly string[];
  /** Settings of a configuration that add resources. */
  extendNetwork(version: string): JsonObject;
  extendCluster(version: string): JsonObject;
}

const clouds: Readonly<Record<TargetCloud, CloudTargets>> = {
  aws: {
    region: "eu-west-1",
    zones: ["a", "b", "c"],
    networks: ["v0.1.0", "v1.0.0", "v1.1.0", "v1.2.0"],
    clusters: ["v0.1.0", "v1.0.0", "v1.1.0"],
    fewestClusterZones: 2,
    storages: ["v0.1.0", "v1.0.0", "v1.1.0", "v1.2.0"],
    extendNetwork: (version) =>
      version === "v0.1.0" ? {} : { aws: { flowLogs: true, loadBalancerIps: 1, interfaceEndpoints: ["sts"] } },
    extendCluster: (version) => (version === "v0.1.0" ? {} : { aws: { karpenter: { enabled: true } } }),
  },
  gcp: {
    region: "europe-west1",
    zones: ["b", "c", "d"],
    networks: ["v1.0.0", "v1.1.0"],
    clusters: ["v1.0.0", "v1.1.0"],
    fewestClusterZones: 1,
    storages: ["v1.0.0", "v1.1.0"],
    extendNetwork: () => ({ gcp: { natIps: 1, loadBalancerIps: 1, flowLogs: true } }),
    extendCluster: () => ({}),
  },
  azure: {
    region: "westeurope",
    zones: ["1", "2", "3"],
    networks: ["v1.0.0", "v1.1.0"],
    clusters: ["v1.0.0", "v1.1.0"],
    fewestClusterZones: 1,
    storages: ["v1.0.0", "v1.1.0"],
    extendNetwork: () => ({ azure: { natIps: 1, loadBalancerIps: 1, podSubnet: true } }),
    extendCluster: () => ({}),
  },
};

/** Returns the name of the simulated account of a cloud. */
export function accountOf(cloud: TargetCloud): string {
  return cloud === "aws" ? "sim" : `sim-${cloud}`;
}

/** Returns the name of the network with this number of zones that clusters and storage share. */
export function baseNetworkOf(cloud: TargetCloud, zones: number): string {
  return `base-${cloud}-${zones}`;
}

/** Returns the name of the cluster that storage shares. */
export function baseClusterOf(cloud: TargetCloud): string {
  return `base-${cloud}`;
}

/** Every released configuration, with every number of zones that it supports. */
export const targets: readonly Target[] = targetClouds.flatMap((cloud) => {
  const facts = clouds[cloud];
  const place = { account: accountOf(cloud), region: facts.region };
  const zonesOf = (count: number): string[] => facts.zones.slice(0, count);
  const baseOf = (count: number): JsonObject => ({ ...place, zones: zonesOf(count), nat: "single" });
  const create = (
    [service, version]: readonly [string, string],
    count: number,
    rest: Pick<Target, "collection" | "spec"> & { readonly type?: string },
  ): Target => {
    const { type = "", collection, spec } = rest;
    const name = `${service}/${cloud}/${version}${type}, ${count} ${count === 1 ? "zone" : "zones"}`;
    const base = collection === "networks" ? undefined : baseOf(count);
    return { name, cloud, collection, spec: { ...spec, infra: { version } }, base };
  };
  const networks = facts.networks.flatMap((version) =>
    [1, 2, 3].map((count) => {
      const spec = { ...baseOf(count), nat: count === 2 ? "per-zone" : "single", ...facts.extendNetwork(version) };
      return create(["network", version], count, { collection: "networks", spec });
    }),
  );
  const clusters = facts.clusters.flatMap((version) =>
    [1, 2, 3]
      .filter((count) => count >= facts.fewestClusterZones)
      .map((count) => {
        const spec = { network: baseNetworkOf(cloud, count), workers: 1, version: "1.33", ...facts.extendCluster(version) };
        return create(["kubernetes", version], count, { collection: "clusters", spec });
      }),
  );
  const storages = facts.storages.flatMap((version) => {
    const bucket = { bucket: { versioning: true, expireAfterDays: 30 } };
    const volume = { volume: { sizeGib: 10, zone: facts.zones[0] } };
    const cluster = baseClusterOf(cloud);
    return [
      create(["storage", version], 2, { collection: "storages", spec: { cluster, ...bucket }, type: " (bucket)" }),
      create(["storage", version], 2, { collection: "storages", spec: { cluster, ...volume }, type: " (volume)" }),
    ];
  });
  return [...networks, ...clusters, ...storages];
});
