import type { ApiService } from "../api/api-service.ts";
import type { Inventory } from "../inventory/inventory.ts";
import type { WireClusters } from "../inventory/wire-clusters.ts";
import type { ProviderDefinition } from "../provider/definition.ts";

/** The simulation of one cloud. The agent adapts it to the interface that real clouds implement. */
export interface SimulatedCloud {
  /** Builds the cloud's Terraform provider. Without `clusters`, the Kubernetes APIs of its clusters are unreachable. */
  createTerraformProvider(clusters?: Pick<WireClusters, "describeClusterApi">): ProviderDefinition;
  /** Opens an account. Undefined if only the cloud's Terraform provider is simulated. */
  readonly openAccount?: (place: AccountPlace) => SimulatedAccount;
  /** The cloud's own API. Undefined if it is not simulated. */
  readonly api?: ApiService;
}

/** Locates an account: its inventory, its tenant and one region. */
export interface AccountPlace {
  readonly inventory: Inventory;
  readonly tenant: string;
  readonly region: string;
}

/** A resource that may belong to an entity. `owner` is the uid of that entity. */
export interface Owned {
  readonly owner?: string;
}

/** A cloud resource that belongs to an entity. */
export interface OwnedRecord {
  readonly type: string;
  readonly id: string;
  /** The resource's name and key in its configuration. Absent if the resource type has no label or description to store them in. */
  readonly part?: string;
  /** Strings in the resource's attributes that may refer to other resources. */
  readonly names: readonly string[];
}

/** Queries and operations on a simulated account. */
export interface SimulatedAccount {
  /** Lists the resources of an entity. Absent if every resource names its entity in its `tags` attribute. */
  listOwned?(entityUid: string): Promise<readonly OwnedRecord[]>;
  listZones(): Promise<readonly string[]>;
  getLimits(): Promise<{
    readonly networks: number;
    readonly publicIps: number;
    readonly natGatewaysPerZone: number;
    readonly internetGateways: number;
    readonly vcpus: number;
  }>;
  /** Returns the limit of a quota that `getLimits` does not cover, and the amount in use. Returns undefined if the cloud has no such quota. */
  findUsage?(quota: string): Promise<{ readonly limit: number; readonly used: number } | undefined>;
  listNetworks(): Promise<readonly (Owned & { readonly id: string; readonly ranges: readonly string[] })[]>;
  /** Returns whether a subnet has a user-defined default route, or undefined if there is no such subnet. */
  hasDefaultRoute?(subnetId: string): Promise<boolean | undefined>;
  listPublicIps(): Promise<readonly Owned[]>;
  listNatGateways(): Promise<readonly (Owned & { readonly zone: string })[]>;
  listInternetGateways(): Promise<readonly Owned[]>;
  listMachines(): Promise<readonly (Owned & { readonly vcpus: number })[]>;
  listOffered(
    types: readonly string[],
  ): Promise<
    readonly { readonly name: string; readonly vcpus: number; readonly zones: readonly string[]; readonly isCommon: boolean }[]
  >;
  /** Returns whether the cloud publishes an image, as an instance's spec names it. Absent if the cloud accepts any image. */
  hasImage?(image: string): Promise<boolean>;
  listVersions(): Promise<readonly string[]>;
  findCluster(name: string): Promise<Owned | undefined>;
  findBucket(name: string): Promise<Owned | undefined>;
  countObjects(bucket: string): Promise<number>;
  /** Takes the final snapshot of a volume, unless the entity already has one. Returns whether the snapshot is complete. */
  snapshotVolume?(
    volumeId: string,
    snapshot: { readonly entityUid: string; readonly name: string; readonly tags: Readonly<Record<string, string>> },
  ): Promise<boolean>;
  /** Lists the leftover resources of a cluster, in the order in which they can be removed. */
  listLeftovers(cluster: string): Promise<readonly { readonly type: string; readonly id: string }[]>;
  removeLeftover(leftover: { readonly type: string; readonly id: string }): Promise<void>;
  /** Removes the cluster's tags from a volume, so that it is no longer a leftover. */
  retainVolume(id: string): Promise<void>;
  /** Operations on clusters that are not available through Terraform. */
  readonly clusters: {
    findAddress(): Promise<string | undefined>;
    findPrincipal(cluster: string): Promise<string | undefined>;
    findBuiltInAccess?(cluster: string): Promise<string | undefined>;
    listRefusedSubnets?(subnetIds: readonly string[]): Promise<readonly string[]>;
    countNodes(cluster: string): Promise<Readonly<Record<string, number>>>;
    unprotect(cluster: string): Promise<void>;
  };
}
