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

/** An account's cloud for the time of one run. */
export interface Cloud {
  readonly providers: ProviderSources;
  /** Everything that belongs to the entity, by its tags, also what no state knows. */
  listOwned(entityUid: string): Promise<readonly OwnedThing[]>;
  /** How many objects a bucket holds; a cloud that cannot count leaves it out. */
  countObjects?(bucket: string): Promise<number>;
  /** Access with all rights to a cluster that was built in this account. */
  openCluster(cluster: ClusterAddress): Promise<ClusterAccess>;
  close(): Promise<void>;
}

/** Opens the simulated cloud of an account; the access that a run has to its state is good for the cloud as well. */
export type OpenCloud = (account: DeployedAccount, access: StateAccess) => Promise<Cloud>;
