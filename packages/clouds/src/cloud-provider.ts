import type { CloudFacts, ClusterName, CloudName } from "@cloudwright/contract/clouds";
import type { Fault, Secret } from "@cloudwright/platform";
import type { AccountIdentity, AccountView } from "./account-view.ts";
import type { CallBudget } from "./library/call-options.ts";
import type { CloudLibrary } from "./library/library.ts";
import type { CloudPart } from "./library/parts.ts";
import type { PermissionPolicy } from "./permission-policy.ts";
import type { MachineAccess, MachineReport } from "./machine-access.ts";

/**
 * The port between the platform and one cloud. Each cloud implements it for real accounts, and the simulator for simulated ones. Generic
 * code looks up the provider by name and contains no cloud-specific branches.
 *
 * `testing/cloud-provider-contract.ts` checks this contract for every implementation:
 * - A capability that is missing from `capabilities` throws `clouds.not_implemented`. It never returns an empty result instead.
 * - Creating a provider and opening an account load no SDK and send no requests.
 * - Failed calls throw a `Fault` of this package. No fault and no printable value contains a credential.
 */
export interface CloudProvider {
  readonly name: CloudName;
  /**
   * Static facts about the cloud: regions and zones, default machine types, Terraform providers and their sources, and the kubeconfig exec
   * command. They are declared in `contract`, so that the CLI and the console can read them without importing this package.
   */
  readonly facts: CloudFacts;
  /** Supported capabilities. Using any other capability throws `clouds.not_implemented`. */
  readonly capabilities: ReadonlySet<Capability>;
  /** Returns the cloud's least-privilege policies. Requires the `policy` capability. */
  getPolicy(): PermissionPolicy;
  /** Opens an account in one region. The cloud is not called until the account is used. */
  openAccount(request: AccountRequest): CloudAccount;
  /**
   * Creates a cluster token with the local user's cloud credentials, as the cloud's own CLI would. A kubeconfig's exec plug-in uses it to
   * authenticate kubectl. Requires the `own-token` capability.
   */
  createOwnToken(cluster: ClusterName): Promise<ClusterToken>;
}

/** A part of the port that a provider can leave unimplemented. */
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
  "audit-trail",
  "clusters",
  "direct",
  "library",
] as const;

/** Settings that come from the agent's process, not from an account. */
export interface ProviderOptions {
  /** Endpoint overrides, keyed by the environment variables of the cloud's SDKs. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** Path of a file that contains the identity token of the agent's machine. */
  readonly identityTokenFile?: string;
}

export interface AccountRequest {
  /** Name of the account entity, used in messages. */
  readonly account: string;
  /** The account's spec, without secrets. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Region to work in. Empty for calls that need no specific region, such as verification; the provider then chooses one. */
  readonly region: string;
  /** Session name in the cloud's audit log, such as `cloudwright-0199...`. */
  readonly session: string;
  /** Account ID that the last verification found. Empty or absent if the account has not been verified. */
  readonly accountId?: string;
  /** Reads the account's current spec, including secrets. Called before each renewal, so that rotated credentials are used. */
  openCredentials(): Promise<Secret<Readonly<Record<string, unknown>>>>;
}

/** A snapshot that outlives its volume. An entity has at most one. */
export interface FinalSnapshot {
  readonly entityUid: string;
  /** Name of the entity. */
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** An account in one region. The caller closes it after use. */
export interface CloudAccount {
  /**
   * Returns the identity behind the credentials. Throws `clouds.wrong_account` if the spec names a different account. Requires the
   * `identity` capability.
   */
  verify(): Promise<AccountIdentity>;
  /** Read-only view for preflight checks. Requires the `view` capability. */
  readonly view: AccountView;
  /**
   * Lists all resources with the entity's ownership tag, including those that are not in any Terraform state. Requires the
   * `owned-resources` capability.
   */
  listOwned(entityUid: string): Promise<readonly OwnedResource[]>;
  /** Counts the objects in a bucket, up to a limit. Returns 0 if the bucket does not exist. Requires the `objects` capability. */
  countObjects(bucket: string): Promise<number>;
  /**
   * Starts the final snapshot of a volume, unless the entity already has one. Returns whether it is complete, or true if the volume does
   * not exist. Absent if the cloud has no volumes.
   */
  snapshotVolume?(volumeId: string, snapshot: FinalSnapshot): Promise<boolean>;
  /**
   * Returns who last changed each resource, according to the cloud's audit trail. Omits resources whose last change is unknown or was made
   * by the platform itself. Requires the `audit-trail` capability.
   */
  findAuthors(resources: readonly AuditedResource[]): Promise<readonly AuditedChange[]>;
  /** Resources that clusters created themselves. Requires the `leftovers` capability. */
  readonly leftovers: ClusterLeftovers;
  /** Cluster operations that Terraform does not support. Requires the `clusters` capability. */
  readonly clusters: ClusterControl;
  /** Returns administrator access to a cluster in this account. Requires the `cluster-access` capability. */
  openCluster(cluster: ClusterAddress): Promise<ClusterAccess>;
  /** Prepares the environment and credentials for Terraform's providers. Requires the `terraform` capability. */
  openTerraform(): Promise<TerraformAccess>;
  /** Opens the resource types that the platform manages without Terraform. Requires the `direct` capability. */
  openDirect(run: DirectRun): Promise<DirectAccess>;
  /** Connects to machines that already exist and returns what it finds. Absent if the cloud has no inventories. */
  checkMachines?(machines: readonly MachineAccess[], signal: AbortSignal): Promise<readonly MachineReport[]>;
  /**
   * Opens the library for clusters and machines with the account's own credentials, to read and manage clusters that the platform did not
   * create. The caller closes it. Requires the `library` capability.
   */
  openLibrary(run: LibraryRun): Promise<CloudLibrary>;
  /** The images from which instances start. Absent if the cloud has tools of its own for this. */
  readonly images?: MachineImages;
  /** Returns why the last request for credentials failed, or undefined if it succeeded. Used to explain a later Terraform failure. */
  findTrouble(): Fault | undefined;
  /** Returns whether an error message from an SDK or a Terraform provider means that the cloud rejected the credentials. */
  isCredentialRefusal(message: string): boolean;
  close(): Promise<void>;
}

/** The images on a machine of the user's own. All instances of the machine can use them. */
export interface MachineImages {
  list(): Promise<readonly MachineImage[]>;
  /** Imports an image. An import with the token of an earlier one is a repetition. */
  import(request: ImageImport, run: ImageRun): Promise<void>;
  /** Builds the image of a distribution from its packages. */
  build(name: string, run: ImageRun): Promise<void>;
  /** Removes an image. Throws if an instance uses it. Succeeds if the image does not exist. */
  remove(name: string): Promise<void>;
}

export interface ImageImport {
  readonly name: string;
  /** Absolute path on the machine. */
  readonly path: string;
  /** What the path contains: a root file system or an OCI layout, as a folder or an archive. */
  readonly format: "rootfs" | "oci";
  /** Expected SHA-256 checksum of the archive. Empty if it is not checked. */
  readonly sha256: string;
  readonly token: string;
}

export interface ImageRun {
  readonly signal: AbortSignal;
  log(line: string): void;
}

export interface MachineImage {
  readonly name: string;
  readonly source: string;
  readonly sizeBytes: number;
  readonly createdAtMs: number;
  /** Number of instances that use the image. */
  readonly users: number;
}

/** A cloud resource that carries an entity's ownership tag. */
export interface OwnedResource {
  /** Terraform's resource type. */
  readonly type: string;
  /** The resource's ID in Terraform's state. */
  readonly id: string;
  /** ID for `terraform import`, if it differs from `id`. */
  readonly importId?: string;
  /** The resource's name and key in the configuration, read from its tag: `public/eu-west-1a`. Absent for types that have no tags. */
  readonly part?: string;
  /** IDs of other resources that this resource refers to. */
  readonly names: readonly string[];
}

/** A resource to look up in the audit trail. */
export interface AuditedResource {
  /** Terraform's resource type. */
  readonly type: string;
  /** The resource's ID in Terraform's state. */
  readonly id: string;
}

/** The last change to a resource, if someone other than the platform made it. */
export interface AuditedChange extends AuditedResource {
  /** The user or role session, as the cloud names it. */
  readonly author: string;
  /** The action, as the cloud names it. */
  readonly action: string;
  readonly at: Date;
}

/** Prefix of the session names that the platform uses in a cloud. */
const ownSessions = "cloudwright-";

/** Returns whether a user name in an audit trail belongs to one of the platform's sessions. */
export function isOwnSession(name: string): boolean {
  return name.startsWith(ownSessions);
}

/** Cluster operations that Terraform does not support. */
export interface ClusterControl {
  /** Returns the public IPv4 address from which this process reaches clusters, or undefined if it cannot be determined. */
  findAddress(): Promise<string | undefined>;
  /**
   * Returns the role or user that creates clusters, in the format of a cluster's access entries. Returns undefined if there is no such
   * principal, if it cannot be read, or if the cloud itself has already given it access to `cluster`.
   */
  findPrincipal(cluster: string): Promise<string | undefined>;
  /**
   * Returns the principal that has access to `cluster` because the cloud itself granted this access when it created the cluster. For a
   * cluster that does not exist yet, returns the principal that will get this access. Returns undefined if there is no such principal or
   * it cannot be read. Absent in clouds whose clusters have no access entries.
   */
  findBuiltInAccess?(cluster: string): Promise<string | undefined>;
  /**
   * Returns the given subnets whose zones do not support the network interfaces of control planes. Absent in clouds without such zones.
   */
  listRefusedSubnets?(subnetIds: readonly string[]): Promise<readonly string[]>;
  /** Returns the current desired number of nodes of each pool in a cluster, keyed by pool name. Empty if the cluster does not exist. */
  countNodes(cluster: string): Promise<Readonly<Record<string, number>>>;
  /** Turns off the deletion protection of a cluster. Does nothing if the cluster is not protected or does not exist. */
  unprotect(cluster: string): Promise<void>;
}

/** Identifies a cluster and its Kubernetes API. Taken from the outputs of the cluster's configuration. */
export interface ClusterAddress {
  /** The cluster's name in the cloud. */
  readonly name: string;
  readonly region: string;
  /** URL of the cluster's Kubernetes API. */
  readonly endpoint: string;
  readonly caPem: string;
}

/** Administrator access to a cluster's Kubernetes API. */
export interface ClusterAccess {
  readonly server: string;
  readonly caPem: string;
  /** Returns a currently valid token. Tokens may be short-lived, so callers fetch one before each use. */
  token(): Promise<Secret>;
}

export interface ClusterToken {
  readonly token: Secret;
  readonly expiresAt: Date;
}

/** A resource that a cluster created in its cloud, such as a load balancer or a volume. No Terraform state contains it. */
export interface Leftover {
  /** Terraform's resource type. */
  readonly type: string;
  readonly id: string;
}

/**
 * Finds and removes leftover resources: load balancers, their network interfaces and security groups, and volumes. Resources that Terraform
 * created or that the cloud manages for the cluster are not leftovers.
 */
export interface ClusterLeftovers {
  /** Lists a cluster's leftovers in the order in which they can be removed. `cluster` is the cluster's name in the cloud. */
  list(cluster: string): Promise<readonly Leftover[]>;
  /** Removes a leftover. Succeeds even if it no longer exists. If it cannot be removed yet, throws a fault with the cloud's reason. */
  remove(leftover: Leftover): Promise<void>;
  /** Removes the cluster's tags from a volume, so that it no longer counts as a leftover. */
  retain(volumeId: string): Promise<void>;
}

/** Environment and credentials that Terraform's providers need to work in an account. */
export interface TerraformAccess {
  readonly environment: Readonly<Record<string, string>>;
  /** Variables with credentials. They stay valid until `close`, even during a long run. */
  readonly secretEnvironment: Readonly<Record<string, Secret>>;
  /** Terraform providers that are already running, keyed by source address. Terraform starts all other providers itself. */
  readonly reattach?: Readonly<Record<string, RunningProvider>>;
  close(): Promise<void>;
}

/** The entity whose resources are managed without Terraform, and the limit on the calls made for it. */
export interface DirectRun {
  readonly entityUid: string;
  readonly budget?: CallBudget;
  /** Receives a line for the run's log when a call starts work that takes minutes, such as building an image. */
  readonly log?: (line: string) => void;
  /** The machine that an instance claims. Absent unless the entity claims one. */
  readonly machine?: MachineAccess;
}

/** The limit on the calls that a library makes. */
export interface LibraryRun {
  readonly budget?: CallBudget;
}

/** Resource types of an account, for programs that manage resources without Terraform. */
export interface DirectAccess {
  /** Resource types, keyed by Terraform's name. Each type comes before the types that refer to it. */
  readonly parts: ReadonlyMap<string, CloudPart>;
  close(): Promise<void>;
}

/** A Terraform provider that is already running and listens on a socket. */
export interface RunningProvider {
  readonly pid: number;
  readonly socket: string;
  readonly protocolVersion: number;
}
