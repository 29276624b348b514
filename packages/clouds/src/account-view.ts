/** The cloud identity behind an account's credentials. */
export interface AccountIdentity {
  /** The account ID that the cloud assigned. */
  readonly accountId: string;
  /** User or role in the cloud's own notation, such as an ARN. */
  readonly identity: string;
}

/** A cloud resource and, if there is one, the entity that owns it. */
export interface Held {
  /** Uid of the owning entity. Absent if the platform does not manage the resource. */
  readonly owner?: string;
}

/** Quotas of an account in one region. `Infinity` means that the cloud has no such quota. */
export interface AccountLimits {
  readonly networks: number;
  readonly publicIps: number;
  readonly natGatewaysPerZone: number;
  readonly internetGateways: number;
  /** Total on-demand vCPUs across all standard machine types. */
  readonly vcpus: number;
}

/** Quotas that only some clouds have. Disks have one quota for hard disks and one for SSDs. */
export type QuotaKind = "subnets" | "routers" | "firewalls" | "diskGiB" | "ssdGiB" | "memoryMiB" | "serviceAccounts";

export interface QuotaUsage {
  readonly limit: number;
  readonly used: number;
  /** True if the cloud does not report the limit. `limit` is then the default for a new account. */
  readonly isAssumed?: boolean;
}

export interface OfferedMachine {
  readonly name: string;
  readonly vcpus: number;
  /** Full names of the zones where the type is available. */
  readonly zones: readonly string[];
  /** Whether the type counts against `AccountLimits.vcpus`. Non-standard families have separate quotas. */
  readonly isCommon: boolean;
  /** The vCPU quota of the type's family, and the machines that count against it. Absent if the family has no separate quota. */
  readonly quota?: {
    readonly name: string;
    readonly limit: number;
    readonly used: readonly (Held & { readonly vcpus: number })[];
  };
}

/** Read-only view of an account's region for preflight checks. */
export interface AccountView {
  getIdentity(): Promise<AccountIdentity>;
  /** Lists the actions that a feature needs but the credentials do not allow. Returns undefined if the cloud cannot report this. */
  listDenied(feature: string): Promise<readonly string[] | undefined>;
  /**
   * Lists the services that a feature needs but that are not enabled for the account. Services are named as in the cloud's own CLI. Returns
   * undefined if the credentials do not allow reading the enabled services. Absent if the cloud has no services to enable.
   */
  listDisabledServices?(feature: string): Promise<readonly string[] | undefined>;
  /** Lists the region's zones by full name. Returns an empty list if the region does not exist or is disabled for the account. */
  listZones(): Promise<readonly string[]>;
  getLimits(): Promise<AccountLimits>;
  /**
   * Returns a quota that `getLimits` does not cover. Returns undefined if the cloud does not have this quota or the credentials do not
   * allow reading it. Absent if the cloud has none of these quotas.
   */
  findUsage?(quota: QuotaKind): Promise<QuotaUsage | undefined>;
  listNetworks(): Promise<readonly (Held & { readonly id: string; readonly ranges: readonly string[] })[]>;
  /**
   * Returns whether a subnet has a user-defined default route. Returns undefined if the subnet does not exist or the credentials do not
   * allow reading its routes. Absent if no cluster that the platform builds in the cloud needs such a route.
   */
  hasDefaultRoute?(subnetId: string): Promise<boolean | undefined>;
  /** Lists reserved public addresses. */
  listPublicIps(): Promise<readonly Held[]>;
  listNatGateways(): Promise<readonly (Held & { readonly zone: string })[]>;
  /** Lists the gateways that connect networks to the internet. Empty if the cloud has no such resource. */
  listInternetGateways(): Promise<readonly Held[]>;
  /** Lists running machines that count against the vCPU quota. */
  listMachines(): Promise<readonly (Held & { readonly vcpus: number })[]>;
  /** Filters the given machine types to those available in the region. */
  listOffered(types: readonly string[]): Promise<readonly OfferedMachine[]>;
  /**
   * Returns whether an image exists, as an instance's spec names it. Returns undefined if the image cannot be looked up, for example because
   * the credentials do not allow it. Absent if the cloud cannot look up images.
   */
  hasImage?(image: string, machineType: string): Promise<boolean | undefined>;
  /** Returns whether networks can use Open vSwitch. Absent in clouds that have networks of their own. */
  hasOpenVswitch?(): Promise<boolean>;
  /** Lists the Kubernetes minor versions that the managed service supports, such as `1.34`. */
  listVersions(): Promise<readonly string[]>;
  findCluster(name: string): Promise<Held | undefined>;
  /** Finds a bucket regardless of its owner, because some clouds require bucket names to be unique across all customers. */
  findBucket(name: string): Promise<Held | undefined>;
}

/** Tag on every resource that an entity owns. The value is the entity's uid. */
export const ownerTag = "cloudwright:entity";

/** Tag that records a resource's name and key in its Terraform configuration. */
export const partTag = "cloudwright:part";
