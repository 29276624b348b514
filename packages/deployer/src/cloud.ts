import type {
  AccountIdentity,
  AccountView,
  ClusterAccess,
  ClusterAddress,
  ClusterLeftovers,
  OwnedResource,
} from "@cloudwright/clouds";
import type { Fault, Secret } from "@cloudwright/platform";
import type { ProviderSources } from "@cloudwright/terraform";
import type { DeployedAccount, JsonObject, StateAccess } from "./task.ts";

export type { ClusterAccess, ClusterAddress, ClusterLeftovers, Leftover, OwnedResource } from "@cloudwright/clouds";

/** An account's cloud, open for the time of one run. */
export interface Cloud {
  readonly providers: ProviderSources;
  /** Environment of Terraform's providers. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Credentials of Terraform's providers. They are valid for as long as the run takes. */
  readonly secretEnvironment?: Readonly<Record<string, Secret>>;
  /** Lists the resources that belong to an entity, found by tag; also those that no Terraform state knows. */
  listOwned(entityUid: string): Promise<readonly OwnedResource[]>;
  /** Counts the objects in a bucket, up to a limit. Absent for a cloud that cannot count them. */
  countObjects?(bucket: string): Promise<number>;
  /** Returns administrator access to a cluster that was built in this account. */
  openCluster(cluster: ClusterAddress): Promise<ClusterAccess>;
  /** Resources that clusters created. Absent for a cloud that cannot list them. */
  readonly leftovers?: ClusterLeftovers;
  /** Returns the fault of a run, or the cause that the cloud knows, such as revoked credentials. */
  explain?(fault: Fault): Fault;
  close(): Promise<void>;
}

/** The task that a cloud is opened for. */
export interface CloudRun {
  readonly taskUid: string;
  /** Region of the entity. Empty for an account. */
  readonly region: string;
  /** Reads the account's spec with its secrets, as they are set now. */
  openCredentials(): Promise<Secret<JsonObject>>;
}

/** Opens the cloud of an account. A simulated cloud is reached with the run's access to its state. */
export type OpenCloud = (account: DeployedAccount, access: StateAccess, run: CloudRun) => Promise<Cloud>;

/** Opens an account's region for preflight checks. Returns undefined for a cloud that has none. */
export type OpenView = (
  account: DeployedAccount,
  openAccess: () => Promise<StateAccess>,
  run: CloudRun,
) => Promise<{ readonly view: AccountView; close(): void } | undefined>;

/** Asks the cloud whose credentials a real account has. */
export type VerifyAccount = (account: DeployedAccount, run: CloudRun) => Promise<AccountIdentity>;
