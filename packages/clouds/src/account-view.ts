/** The cloud identity behind an account's credentials. */
export interface AccountIdentity {
  /** The cloud's id of the account. */
  readonly accountId: string;
  /** The user or role, in the cloud's notation. */
  readonly identity: string;
}

/** Something in an account that may belong to an entity. */
export interface Held {
  /** Uid of the entity that owns it. Absent if it is not ours. */
  readonly owner?: string;
}

/** Quotas of an account in a region. A quota that the cloud does not have is infinite. */
export interface AccountLimits {
  readonly networks: number;
  readonly publicIps: number;
  readonly natGatewaysPerZone: number;
  /** On-demand virtual CPUs of all common machine types together. */
  readonly vcpus: number;
}

/** A machine type that the region offers. */
export interface OfferedMachine {
  readonly name: string;
  readonly vcpus: number;
  /** Zones that offer it, by full name. */
  readonly zones: readonly string[];
  /** Whether it counts against `AccountLimits.vcpus`. Uncommon families have quotas of their own. */
  readonly isCommon: boolean;
}

/** An account's region before anything is created in it. Preflight checks read it and nothing else. */
export interface AccountView {
  getIdentity(): Promise<AccountIdentity>;
  /** Lists actions that a feature needs and the credentials do not allow. Undefined if the cloud does not tell. */
  listDenied(feature: string): Promise<readonly string[] | undefined>;
  /** Lists the zones of the region by full name. Empty if the region does not exist or is not enabled for the account. */
  listZones(): Promise<readonly string[]>;
  getLimits(): Promise<AccountLimits>;
  listNetworks(): Promise<readonly (Held & { readonly id: string; readonly ranges: readonly string[] })[]>;
  /** Lists reserved public addresses. */
  listPublicIps(): Promise<readonly Held[]>;
  listNatGateways(): Promise<readonly (Held & { readonly zone: string })[]>;
  /** Lists running machines that count against the quota, each with its virtual CPUs. */
  listMachines(): Promise<readonly (Held & { readonly vcpus: number })[]>;
  /** Returns those of the machine types that the region offers. */
  listOffered(types: readonly string[]): Promise<readonly OfferedMachine[]>;
  /** Lists the Kubernetes minor versions that the managed service offers: `1.34`. */
  listVersions(): Promise<readonly string[]>;
  findCluster(name: string): Promise<Held | undefined>;
  /** Finds a bucket of any owner. Bucket names may be shared by all customers of a cloud. */
  findBucket(name: string): Promise<Held | undefined>;
}

/** Tag of every resource that an entity owns. Its value is the entity's uid. */
export const ownerTag = "cloudwright:entity";

/** Tag that names a resource's place in the configuration. */
export const partTag = "cloudwright:part";
