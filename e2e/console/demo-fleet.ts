import type { Json } from "@cloudwright/contract";

export interface Made {
  readonly name: string;
  readonly environment?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec: Json;
}

export const environments: readonly Made[] = [
  { name: "production", spec: { description: "Serves our customers" } },
  { name: "staging", spec: { description: "A copy of production for final tests" } },
  { name: "development", spec: { description: "For experiments" } },
];

export const accounts: readonly Made[] = [
  { name: "acme-production", labels: { owner: "platform" }, spec: { aws: {}, simulated: true } },
  { name: "acme-development", labels: { owner: "platform" }, spec: { aws: {}, simulated: true } },
];

const network = (name: string, environment: string, account: string, region: string, cidr: string, zones: string[]): Made => ({
  name,
  environment,
  labels: { team: "platform" },
  spec: { account, region, cidr, zones },
});

export const networks: readonly Made[] = [
  network("frankfurt", "production", "acme-production", "eu-central-1", "10.0.0.0/16", ["a", "b", "c"]),
  network("ireland", "production", "acme-production", "eu-west-1", "10.1.0.0/16", ["a", "b"]),
  network("virginia", "production", "acme-production", "us-east-1", "10.2.0.0/16", ["a", "b"]),
  network("staging", "staging", "acme-development", "eu-central-1", "10.16.0.0/16", ["a", "b"]),
  network("sandbox", "development", "acme-development", "eu-west-1", "10.17.0.0/16", ["a", "b"]),
];

const cluster = (name: string, environment: string, lies: string, version: string, workers: number, team: string): Made => ({
  name,
  environment,
  labels: { team },
  spec: { network: lies, version, workers },
});

/** The clusters of the demo fleet. `loadtest` is meant to fail. */
export const clusters: readonly Made[] = [
  cluster("shop", "production", "frankfurt", "1.34", 6, "checkout"),
  cluster("payments", "production", "frankfurt", "1.33", 4, "payments"),
  cluster("search", "production", "ireland", "1.33", 3, "discovery"),
  cluster("shop-us", "production", "virginia", "1.34", 4, "checkout"),
  cluster("loadtest", "development", "sandbox", "1.34", 8, "platform"),
];

/** Clusters that are created only after `loadtest` has failed, so that the injected fault does not affect them. */
export const lateClusters: readonly Made[] = [
  cluster("shop-staging", "staging", "staging", "1.34", 2, "checkout"),
  cluster("preview", "development", "sandbox", "1.34", 1, "checkout"),
];

/** The additional node pools of the `shop` cluster. */
export const pools: readonly Made[] = [{ name: "spot", spec: { min: 0, desired: 2, max: 6, capacity: "spot" } }];

/** The storage of the `shop` cluster. */
export const storages: readonly Made[] = [
  { name: "product-images", environment: "production", spec: { cluster: "shop", bucket: {} } },
];

/** SSH keys. The platform generates the private half of the first one. The other one was brought along. */
export const sshKeys: readonly Made[] = [
  { name: "operations", labels: { team: "platform" }, spec: {} },
  {
    name: "olga",
    spec: { publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl olga@laptop" },
  },
];

export const instances: readonly Made[] = [
  {
    name: "bastion",
    environment: "production",
    labels: { team: "platform" },
    spec: { network: "frankfurt", machineType: "t3.small", sshKeys: ["operations", "olga"], publicAddress: true },
  },
  {
    name: "reports",
    environment: "production",
    labels: { team: "checkout" },
    spec: { network: "ireland", machineType: "t3.medium", sshKeys: ["operations"], rootDisk: { sizeGib: 40 } },
  },
];
