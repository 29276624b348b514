import type { AwsIdentity } from "./identity.ts";

/** Something in an account, and the entity that it belongs to, if any of ours. */
export interface Held {
  readonly owner?: string;
}

/** How many of something there may be in a region. */
export interface AwsLimits {
  readonly vpcs: number;
  readonly elasticIps: number;
  readonly natGatewaysPerZone: number;
  /** Of machines that are paid by the second, all common families together. */
  readonly vcpus: number;
}

/** A type of machine and where it can be had. */
export interface OfferedMachine {
  readonly name: string;
  readonly vcpus: number;
  readonly zones: readonly string[];
}

/** An account's region as it is before anything is made there: the official SDK for real accounts, the inventory for simulated ones. */
export interface AwsView {
  getIdentity(): Promise<AwsIdentity>;
  /** Those of the actions that the credentials may not do; undefined when that cannot be told. */
  listDenied(actions: readonly string[]): Promise<readonly string[] | undefined>;
  /** None when the region is not there, or not open to the account. */
  listZones(): Promise<readonly string[]>;
  getLimits(): Promise<AwsLimits>;
  listVpcs(): Promise<readonly (Held & { readonly id: string; readonly ranges: readonly string[] })[]>;
  listElasticIps(): Promise<readonly Held[]>;
  listNatGateways(): Promise<readonly (Held & { readonly zone: string })[]>;
  /** Machines that count for the limit, by what they take of it. */
  listMachines(): Promise<readonly (Held & { readonly vcpus: number })[]>;
  /** Those of the types that there are. */
  listOffered(types: readonly string[]): Promise<readonly OfferedMachine[]>;
  /** Kubernetes versions: `1.34`. */
  listVersions(): Promise<readonly string[]>;
  /** A cluster of that name. */
  findCluster(name: string): Promise<Held | undefined>;
  /** A bucket of that name, whoever's it is. */
  findBucket(name: string): Promise<Held | undefined>;
}

/** The tag that says whose a thing is. */
export const ownerTag = "cloudwright:entity";
