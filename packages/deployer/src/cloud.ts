import type {
  AccountIdentity,
  AccountView,
  AuditedChange,
  AuditedResource,
  CloudLibrary,
  CloudPart,
  ClusterAccess,
  ClusterAddress,
  ClusterControl,
  ClusterLeftovers,
  DirectRun,
  FinalSnapshot,
  LibraryRun,
  MachineAccess,
  MachineReport,
  MachineImages,
  OwnedResource,
} from "@cloudwright/clouds";
import type { Fault, Secret } from "@cloudwright/platform";
import type { ProviderSources } from "@cloudwright/terraform";
import type { DeployedAccount, JsonObject, StateAccess } from "./task.ts";

export type { ClusterAccess, ClusterAddress, ClusterLeftovers, Leftover, OwnedResource } from "@cloudwright/clouds";

/** Sources, environment and credentials for Terraform's providers. Valid until the `Cloud` is closed. */
export interface TerraformSettings {
  readonly providers: ProviderSources;
  /** Environment variables for the Terraform providers. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Credentials for the Terraform providers, as environment variables. They stay valid for the whole run. */
  readonly secretEnvironment?: Readonly<Record<string, Secret>>;
}

/** Access to an account's cloud for the duration of one run. */
export interface Cloud {
  /** Prepares Terraform's providers. Called at most once, by executors that use Terraform. */
  openTerraform(): Promise<TerraformSettings>;
  /**
   * Opens the cloud's resource types, keyed by their Terraform names. Each type comes before the types that refer to it. Absent if the
   * cloud requires Terraform.
   */
  openDirect?(run: DirectRun): Promise<ReadonlyMap<string, CloudPart>>;
  /**
   * Opens the cloud's client library for clusters and machines, which is used for clusters that the platform did not create. The library
   * is closed together with the cloud. Absent if the cloud has no such library.
   */
  openLibrary?(run: LibraryRun): Promise<CloudLibrary>;
  /** Connects to machines that already exist and returns what it finds. Absent if the cloud has no inventories. */
  checkMachines?(machines: readonly MachineAccess[], signal: AbortSignal): Promise<readonly MachineReport[]>;
  /** Lists the resources that carry the entity's ownership tag, including resources that are missing from the Terraform state. */
  listOwned(entityUid: string): Promise<readonly OwnedResource[]>;
  /** Counts the objects in a bucket, up to a limit. Absent if the cloud does not support counting. */
  countObjects?(bucket: string): Promise<number>;
  /**
   * Starts the final snapshot of a volume, unless the entity already has one. Returns whether it is complete. Absent if the cloud does not
   * support this.
   */
  snapshotVolume?(volumeId: string, snapshot: FinalSnapshot): Promise<boolean>;
  /** Returns who last changed each resource, according to the cloud's audit trail. Absent if the cloud does not support this. */
  findAuthors?(resources: readonly AuditedResource[]): Promise<readonly AuditedChange[]>;
  /** Lists the actions that a feature needs but the account does not allow. Absent if the cloud cannot report this. */
  listDenied?(feature: string): Promise<readonly string[] | undefined>;
  /** Returns administrator access to a cluster in this account. */
  openCluster(cluster: ClusterAddress): Promise<ClusterAccess>;
  /** Lists and removes resources that clusters created. Absent if the cloud does not support this. */
  readonly leftovers?: ClusterLeftovers;
  /** Cluster operations that Terraform cannot perform. Absent if the cloud does not support them. */
  readonly clusters?: ClusterControl;
  /** The images from which instances start. Absent if the cloud has tools of its own for this. */
  readonly images?: MachineImages;
  /** Returns a fault that names the underlying cause, such as revoked credentials. Returns the given fault if the cause is unknown. */
  explain?(fault: Fault): Fault;
  close(): Promise<void>;
}

/** Identifies the task and region that a cloud is opened for. */
export interface CloudRun {
  readonly taskUid: string;
  /** The entity's region. Empty if the entity is an account. */
  readonly region: string;
  /** Account id that the account's last verification found. Empty if the account has not been verified. */
  readonly accountId?: string;
  /** Returns the account's current spec, including secrets. */
  openCredentials(): Promise<Secret<JsonObject>>;
}

/** Opens an account's cloud. `access` gives access to the Terraform state and, for a simulated account, to the simulated cloud. */
export type OpenCloud = (account: DeployedAccount, access: StateAccess, run: CloudRun) => Promise<Cloud>;

/** Opens an account for preflight checks. Resolves to undefined if the cloud has no preflight checks. */
export type OpenView = (
  account: DeployedAccount,
  openAccess: () => Promise<StateAccess>,
  run: CloudRun,
) => Promise<{ readonly view: AccountView; close(): void } | undefined>;

/** Returns the identity that a real account's credentials belong to, as reported by the cloud. */
export type VerifyAccount = (account: DeployedAccount, run: CloudRun) => Promise<AccountIdentity>;
