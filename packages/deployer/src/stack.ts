import type { TaskKind } from "@cloudwright/contract";
import type { Fault, Secret } from "@cloudwright/platform";
import type { Backend, TerraformOutputs } from "@cloudwright/terraform";
import type { Cloud } from "./cloud.ts";
import type { PlannedChange } from "./executor/executor-plan.ts";
import type { PreviewItem } from "./executor/preview-item.ts";
import type { DeployedAccount, DeployedEntity, Json, JsonObject, Surroundings } from "./task.ts";

/**
 * Connects a kind of entity in one cloud with a folder of Terraform configurations, by pure functions. A thrown fault becomes a condition of the
 * entity. Any other thrown error counts as a bug of the stack and never ends the agent.
 */
export interface Stack<Kind extends TaskKind = TaskKind> {
  /** The service whose tasks it handles, for example `network`. */
  readonly service: string;
  /** The folder of its configurations. Default: the service. */
  readonly folder?: string;
  readonly cloud: string;
  /**
   * Renders the variables of a configuration version. They are written to a file, so they must contain no secret. Throws if the cloud cannot build
   * the spec.
   */
  variables(
    entity: DeployedEntity<Kind>,
    account: DeployedAccount,
    around: Surroundings,
    version: string,
  ): Readonly<Record<string, Json>>;
  /**
   * Renders variables that a configuration version accepts whatever the spec says. They are used for a removal if the spec is invalid. Without them,
   * such a removal fails.
   */
  removalVariables?(
    entity: DeployedEntity<Kind>,
    around: Surroundings,
    version: string,
  ): Readonly<Record<string, Json>> | undefined;
  /** Returns secret variables. They reach Terraform through its environment only, and logs never show them. */
  secretVariables?(entity: DeployedEntity<Kind>, account: DeployedAccount): Readonly<Record<string, Secret<Json>>>;
  /** Returns the provider's credentials as environment variables. Logs never show them. Simulated accounts have none. */
  credentials?(account: DeployedAccount): Readonly<Record<string, Secret>>;
  /** Returns the state backend for entities whose spec names none. Default: the platform. */
  backend?(entity: DeployedEntity<Kind>): Backend | undefined;
  /** Returns further settings of the provider as environment variables, such as its region. They must contain no secret. */
  environment(account: DeployedAccount): Readonly<Record<string, string>>;
  /** Returns the fields of the entity's status from Terraform's outputs, as JSON. A thrown error becomes `deployer.bad_outputs`. */
  status(outputs: TerraformOutputs): Readonly<Record<string, unknown>>;
  /** Describes a planned change that deserves more than its address in a preview. Returns undefined for all others. */
  describeChange?(change: PlannedChange): PreviewItem | undefined;
  /**
   * Checks a removal before it starts. Throws if the cloud would refuse it later. Returns whether the spec must be applied first. `outputs` are those
   * of the last apply.
   */
  prepareRemoval?(
    entity: DeployedEntity<Kind>,
    outputs: JsonObject,
    cloud: Pick<Cloud, "countObjects">,
  ): Promise<{ readonly applyFirst: boolean }>;
  /** Returns a better fault than Terraform's own for a removal that the cloud refused. Returns undefined if there is none. */
  explainRemovalFailure?(fault: Fault, cloud: Pick<Cloud, "countObjects">): Promise<Fault | undefined>;
  /** Returns the address, `type.name["key"]`, of a resource that has no tags. `tagged` are the addresses of all others by id. */
  findUntagged(
    thing: { readonly type: string; readonly names: readonly string[] },
    tagged: ReadonlyMap<string, string>,
  ): string | undefined;
}
