import type { CloudFacts, ClusterName, CloudName } from "@cloudwright/contract/clouds";
import type { Fault, Secret } from "@cloudwright/platform";
import type { AccountIdentity, AccountView } from "./account-view.ts";
import type { PermissionPolicy } from "./permission-policy.ts";

/**
 * The port between the platform and one cloud. Every cloud implements it once for real accounts; the simulator implements it for simulated
 * ones. Generic code finds the provider by name and never asks which cloud it talks to.
 *
 * The contract, which `testing/cloud-provider-contract.ts` checks for every implementation:
 * - A capability that `capabilities` does not list throws `clouds.not_implemented`. It never answers as if there were nothing to say.
 * - Building a provider and opening an account cost nothing: SDKs are loaded, and the cloud is called, by the first use.
 * - Every call throws a `Fault` of this package. No fault, and no value that can be printed, contains a credential.
 */
export interface CloudProvider {
  readonly name: CloudName;
  /**
   * Facts that need no call: regions and zones, default machine types, Terraform's providers and their source, the program of kubeconfigs. They
   * are declared in `contract`, so that the CLI and the console can read them without this package.
   */
  readonly facts: CloudFacts;
  /** What this provider can do. The others throw. */
  readonly capabilities: ReadonlySet<Capability>;
  /** Returns the least-privilege policies of the cloud. Capability `policy`. */
  getPolicy(): PermissionPolicy;
  /** Returns an account in one region. Nothing is called before the account is used. */
  openAccount(request: AccountRequest): CloudAccount;
  /**
   * Creates a token for a cluster with the credentials of the user who runs this process, as the cloud's own command would. kubectl calls it
   * through the exec plug-in of a kubeconfig. Capability `own-token`.
   */
  createOwnToken(cluster: ClusterName): Promise<ClusterToken>;
}

/** One part of the port that a provider may lack. */
export type Capability = (typeof capabilities)[number];

export const capabilities = [
  "identity",
  "view",
  "owned-resources",
  "objects",
  "leftovers",
  "cluster-access",
  "terraform",
  "policy",
  "own-token",
] as const;

/** Settings of the process that a provider works in. */
export interface ProviderOptions {
  /** URLs that replace the cloud's own endpoints, by the environment variables of its SDKs. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** File with the identity token of the agent's machine. */
  readonly identityTokenFile?: string;
}

/** Which account is opened, for which piece of work. */
export interface AccountRequest {
  /** Name of the account entity, for messages. */
  readonly account: string;
  /** The account's spec without its secrets. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** The region to work in. Empty when the work needs none, such as verification; the provider then chooses one. */
  readonly region: string;
  /** Name of the session in the cloud's audit log: for example `cloudwright-0199...`. */
  readonly session: string;
  /** Reads the account's spec with its secrets, as they are set now. Called again for every new credential, so that rotated ones are used. */
  openCredentials(): Promise<Secret<Readonly<Record<string, unknown>>>>;
}

/** An account in one region. The owner closes it after use. */
export interface CloudAccount {
  /** Asks the cloud whose credentials these are. Throws `clouds.wrong_account` for a different account from the spec names. Capability `identity`. */
  verify(): Promise<AccountIdentity>;
  /** The account as preflight checks see it. Capability `view`. */
  readonly view: AccountView;
  /** Lists everything that belongs to an entity, found by its tags; also what no Terraform state knows. Capability `owned-resources`. */
  listOwned(entityUid: string): Promise<readonly OwnedResource[]>;
  /** Counts the objects in a bucket, up to a limit; 0 for a bucket that does not exist. Capability `objects`. */
  countObjects(bucket: string): Promise<number>;
  /** Resources that clusters created themselves. Capability `leftovers`. */
  readonly leftovers: ClusterLeftovers;
  /** Returns administrator access to a cluster that was built in this account. Capability `cluster-access`. */
  openCluster(cluster: ClusterAddress): Promise<ClusterAccess>;
  /** Prepares what Terraform's providers need to work in this account. Capability `terraform`. */
  openTerraform(): Promise<TerraformAccess>;
  /** Returns why the last request for credentials failed; undefined if it succeeded. It explains why Terraform failed afterwards. */
  findTrouble(): Fault | undefined;
  /** Returns whether an error message, of an SDK or of Terraform's provider, says that the cloud rejected the credentials. */
  isCredentialRefusal(message: string): boolean;
  close(): Promise<void>;
}

/** A resource in a cloud that belongs to an entity. */
export interface OwnedResource {
  /** Terraform's type. */
  readonly type: string;
  /** The id in Terraform's state. */
  readonly id: string;
  /** The id for `terraform import`, where it differs. */
  readonly importId?: string;
  /** The resource's name and key in the configuration, from its tag: `public/eu-west-1a`. Types without tags have none. */
  readonly part?: string;
  /** Ids of other resources that it refers to. */
  readonly names: readonly string[];
}

/** A cluster as the configuration's outputs describe it. */
export interface ClusterAddress {
  /** The cluster's name in the cloud. */
  readonly name: string;
  readonly region: string;
  /** URL of its Kubernetes API. */
  readonly endpoint: string;
  readonly caPem: string;
}

/** Administrator access to the Kubernetes API of a cluster. */
export interface ClusterAccess {
  readonly server: string;
  readonly caPem: string;
  /** Returns a token that is valid now. Callers ask again before each use, because tokens may be short-lived. */
  token(): Promise<Secret>;
}

/** A token for a Kubernetes API. */
export interface ClusterToken {
  readonly token: Secret;
  readonly expiresAt: Date;
}

/** A resource that a cluster created in its cloud, such as a load balancer or a volume. No Terraform state knows it. */
export interface Leftover {
  /** Terraform's type. */
  readonly type: string;
  readonly id: string;
}

/**
 * Finds and removes leftover resources: load balancers, their network interfaces and security groups, and volumes. Resources that Terraform
 * created, and those that the cloud manages for the cluster, are not leftovers.
 */
export interface ClusterLeftovers {
  /** Lists the leftovers of a cluster, by its name in the cloud, in the order in which they can be removed. */
  list(cluster: string): Promise<readonly Leftover[]>;
  /** Removes one. Succeeds if it does not exist any more; throws the reason if it cannot be removed yet. */
  remove(leftover: Leftover): Promise<void>;
  /** Detaches a volume from its cluster, so that it is no longer a leftover. */
  retain(volumeId: string): Promise<void>;
}

/** What Terraform's providers need to work in an account. */
export interface TerraformAccess {
  readonly environment: Readonly<Record<string, string>>;
  /** Credentials. They stay valid until `close`, however long the run takes. */
  readonly secretEnvironment: Readonly<Record<string, Secret>>;
  /** Providers that already run, by source address. Terraform starts the others itself. */
  readonly reattach?: Readonly<Record<string, RunningProvider>>;
  close(): Promise<void>;
}

/** A Terraform provider that listens on a socket. */
export interface RunningProvider {
  readonly pid: number;
  readonly socket: string;
  readonly protocolVersion: number;
}
