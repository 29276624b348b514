import type { Inventory } from "../inventory/inventory.ts";
import type { WireClusters } from "../inventory/wire-clusters.ts";
import type { ProviderDefinition } from "../provider/definition.ts";

/** What the simulator offers for one cloud. The agent adapts it to the port that real clouds implement. */
export interface SimulatedCloud {
  /** Builds the cloud's Terraform provider. Without `clusters`, the Kubernetes APIs of its clusters are unreachable. */
  createTerraformProvider(clusters?: WireClusters): ProviderDefinition;
  /** Opens an account. Absent for a cloud of which only the Terraform provider is simulated. */
  readonly openAccount?: (place: AccountPlace) => SimulatedAccount;
}

/** An account in one region: its records and the name of their tenant. */
export interface AccountPlace {
  readonly inventory: Inventory;
  readonly tenant: string;
  readonly region: string;
}

/** Uid of the entity that owns a record; absent if no entity does. */
export interface Owned {
  readonly owner?: string;
}

/** What a simulated account contains and offers. */
export interface SimulatedAccount {
  listZones(): Promise<readonly string[]>;
  getLimits(): Promise<{
    readonly networks: number;
    readonly publicIps: number;
    readonly natGatewaysPerZone: number;
    readonly vcpus: number;
  }>;
  listNetworks(): Promise<readonly (Owned & { readonly id: string; readonly ranges: readonly string[] })[]>;
  listPublicIps(): Promise<readonly Owned[]>;
  listNatGateways(): Promise<readonly (Owned & { readonly zone: string })[]>;
  listMachines(): Promise<readonly (Owned & { readonly vcpus: number })[]>;
  listOffered(
    types: readonly string[],
  ): Promise<
    readonly { readonly name: string; readonly vcpus: number; readonly zones: readonly string[]; readonly isCommon: boolean }[]
  >;
  listVersions(): Promise<readonly string[]>;
  findCluster(name: string): Promise<Owned | undefined>;
  findBucket(name: string): Promise<Owned | undefined>;
  countObjects(bucket: string): Promise<number>;
  /** Resources that clusters created, in the order in which they can be removed. */
  listLeftovers(cluster: string): Promise<readonly { readonly type: string; readonly id: string }[]>;
  removeLeftover(leftover: { readonly type: string; readonly id: string }): Promise<void>;
  /** Removes the cluster's tags from a volume, so that it is no longer a leftover. */
  retainVolume(id: string): Promise<void>;
}
