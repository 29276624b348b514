import type { Secret } from "@cloudwright/platform";
import type { ProviderSources } from "@cloudwright/terraform";
import type { DeployedAccount, StateAccess } from "./task.ts";

/** Something in a cloud that belongs to an entity. */
export interface OwnedThing {
  /** Terraform's type: `aws_subnet`. */
  readonly type: string;
  /** The id under which it is imported. */
  readonly id: string;
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
  /** Everything that belongs to the entity, by its tags, also what no state knows. */
  listOwned(entityUid: string): Promise<readonly OwnedThing[]>;
  /** Access with all rights to a cluster that was built in this account. */
  openCluster(cluster: ClusterAddress): Promise<ClusterAccess>;
  /** What clusters have left behind; a cloud without it cannot tell. */
  readonly leftovers?: ClusterLeftovers;
  close(): Promise<void>;
}

/** Opens the simulated cloud of an account; the access that a run has to its state is good for the cloud as well. */
export type OpenCloud = (account: DeployedAccount, access: StateAccess) => Promise<Cloud>;
