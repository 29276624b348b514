import type { AwsView } from "@cloudwright/clouds";
import type { Fault, Secret } from "@cloudwright/platform";
import type { ProviderSources } from "@cloudwright/terraform";
import type { DeployedAccount, JsonObject, StateAccess } from "./task.ts";

/** Something in a cloud that belongs to an entity. */
export interface OwnedThing {
  /** Terraform's type: `aws_subnet`. */
  readonly type: string;
  /** As it stands in a state. */
  readonly id: string;
  /** The id under which it is imported, where that is another. */
  readonly importId?: string;
  /** Of the configuration: the resource's name and key, `public/eu-west-1a`; types without tags have none. */
  readonly part?: string;
  /** Ids of other things that it names. */
  readonly names: readonly string[];
}

/** A cluster as the configuration's outputs describe it. */
export interface ClusterAddress {
  /** What the cloud calls it. */
  readonly name: string;
  readonly region: string;
  /** Address of its Kubernetes API. */
  readonly endpoint: string;
  readonly caPem: string;
}

/** How the Kubernetes API of a cluster is reached by those who install something in it. */
export interface ClusterAccess {
  readonly server: string;
  readonly caPem: string;
  /** A token that is good now; asked for again before each use, since it may be short-lived. */
  token(): Promise<Secret>;
}

/** Something that a cluster has made in its cloud by itself, and that no run knows. */
export interface Leftover {
  /** Terraform's type: `aws_lb`, `aws_network_interface`, `aws_security_group`, `aws_ebs_volume`. */
  readonly type: string;
  readonly id: string;
}

/**
 * What clusters leave in an account: load balancers, their network interfaces and security groups, and volumes. They are known by the tag
 * `kubernetes.io/cluster/<name>: owned`; what runs have made (it has the tag `cloudwright:entity`) and what the cloud makes for the cluster itself is none of it.
 */
export interface ClusterLeftovers {
  /** What is there by the name that the cloud gave the cluster, in the order in which it can be removed. */
  list(cluster: string): Promise<readonly Leftover[]>;
  /** Removes one; what is gone already is removed. Throws why it cannot go yet. */
  remove(leftover: Leftover): Promise<void>;
  /** Takes the cluster's tag off a volume, so that it outlives the cluster. */
  retain(volumeId: string): Promise<void>;
}

/** An account's cloud for the time of one run. */
export interface Cloud {
  readonly providers: ProviderSources;
  /** What providers are told beside their configuration. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What providers prove themselves with: good for as long as the run lasts. */
  readonly secretEnvironment?: Readonly<Record<string, Secret>>;
  /** Everything that belongs to the entity, by its tags, also what no state knows. */
  listOwned(entityUid: string): Promise<readonly OwnedThing[]>;
  /** How many objects a bucket holds, or the number at which counting ended; a cloud that cannot count leaves it out. */
  countObjects?(bucket: string): Promise<number>;
  /** Access with all rights to a cluster that was built in this account. */
  openCluster(cluster: ClusterAddress): Promise<ClusterAccess>;
  /** What clusters have left behind; a cloud without it cannot tell. */
  readonly leftovers?: ClusterLeftovers;
  /** The fault of a run, or what the cloud knows to be behind it. */
  explain?(fault: Fault): Fault;
  close(): Promise<void>;
}

/** What a real cloud asks of the task that it is opened for. */
export interface CloudRun {
  readonly taskUid: string;
  /** Where the entity lies; empty for an account. */
  readonly region: string;
  /** The account's spec with its secrets, as they are set now. */
  openCredentials(): Promise<Secret<JsonObject>>;
}

/** Opens the cloud of an account; of a simulated one the access that a run has to its state is good for the cloud as well. */
export type OpenCloud = (account: DeployedAccount, access: StateAccess, run: CloudRun) => Promise<Cloud>;

/** An account's region as it is before anything is made; undefined for clouds that are not looked at. */
export type OpenView = (
  account: DeployedAccount,
  openAccess: () => Promise<StateAccess>,
  run: CloudRun,
) => Promise<{ readonly view: AwsView; close(): void } | undefined>;

/** Asks a cloud whose the credentials of a real account are. */
export type VerifyAccount = (account: DeployedAccount, run: CloudRun) => Promise<{ accountId: string; identity: string }>;
