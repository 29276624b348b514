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

/** An account's cloud for the time of one run. */
export interface Cloud {
  readonly providers: ProviderSources;
  /** Everything that belongs to the entity, by its tags, also what no state knows. */
  listOwned(entityUid: string): Promise<readonly OwnedThing[]>;
  close(): Promise<void>;
}

/** Opens the simulated cloud of an account; the access that a run has to its state is good for the cloud as well. */
export type OpenCloud = (account: DeployedAccount, access: StateAccess) => Promise<Cloud>;
