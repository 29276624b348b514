import type { TerraformOutputs } from "@cloudwright/terraform";
import type { DeployedAccount, DeployedEntity, Json, JsonObject, Surroundings } from "./task.ts";

/** What a kind of entity is in one cloud. */
export interface Stack {
  /** The first word of its tasks: `network`. */
  readonly service: string;
  /** The folder of its configurations, where that is not the service. */
  readonly folder?: string;
  readonly cloud: string;
  /** What the configuration is given; refuses what the cloud cannot have. */
  variables(entity: DeployedEntity, account: DeployedAccount, around: Surroundings): Readonly<Record<string, Json>>;
  /** What the provider is told beside its configuration; never a secret. */
  environment(account: DeployedAccount): Readonly<Record<string, string>>;
  /** What the entity's status takes over. */
  status(outputs: TerraformOutputs): JsonObject;
  /** What holds data or traffic: an apply does not make these anew, nor takes them away; removing the entity does. */
  isPrecious(change: { readonly resourceType: string; readonly action: "replace" | "delete" }): boolean;
  /** The resource, `type.name["key"]`, that stands for a thing without tags; `tagged` are the addresses of the others by id. */
  findUntagged(
    thing: { readonly type: string; readonly names: readonly string[] },
    tagged: ReadonlyMap<string, string>,
  ): string | undefined;
}
