import type { TaskKind } from "@cloudwright/contract";
import type { Fault, Secret } from "@cloudwright/platform";
import type { Backend, TerraformOutputs } from "@cloudwright/terraform";
import type { Cloud } from "./cloud.ts";
import type { PlannedChange } from "./executor/executor-plan.ts";
import type { PreviewItem } from "./executor/preview-item.ts";
import type { DeployedAccount, DeployedEntity, Json, JsonObject, Surroundings } from "./task.ts";

/**
 * What a kind of entity is in one cloud: pure functions between the entity and one configuration folder. A fault that they throw becomes a condition
 * of the entity; anything else that they throw counts as a mistake of the stack, and never ends the agent.
 */
export interface Stack<Kind extends TaskKind = TaskKind> {
  /** The first word of its tasks: `network`. */
  readonly service: string;
  /** The folder of its configurations, where that is not the service. */
  readonly folder?: string;
  readonly cloud: string;
  /**
   * The variables of the configuration of that version, which are written to a file: never a secret. Refuses what the cloud cannot have, before
   * anything is made.
   */
  variables(
    entity: DeployedEntity<Kind>,
    account: DeployedAccount,
    around: Surroundings,
    version: string,
  ): Readonly<Record<string, Json>>;
  /**
   * Variables that the configuration of that version takes whatever the spec says: for a removal, when the spec is refused. Left out or undefined: such
   * a removal fails.
   */
  removalVariables?(
    entity: DeployedEntity<Kind>,
    around: Surroundings,
    version: string,
  ): Readonly<Record<string, Json>> | undefined;
  /** Variables that are secret: they reach Terraform by its environment alone, and are cut out of logs. Left out: none. */
  secretVariables?(entity: DeployedEntity<Kind>, account: DeployedAccount): Readonly<Record<string, Secret<Json>>>;
  /** What the provider proves itself with: variables of Terraform's environment alone, cut out of logs. Left out: none. Simulated accounts have none. */
  credentials?(account: DeployedAccount): Readonly<Record<string, Secret>>;
  /** Where Terraform keeps the state when the entity does not say: left out or undefined, in the platform. */
  backend?(entity: DeployedEntity<Kind>): Backend | undefined;
  /** What the provider is told beside its configuration, such as its region: never a secret. */
  environment(account: DeployedAccount): Readonly<Record<string, string>>;
  /** What the entity's status takes over of the outputs, as JSON; throws for others than it knows, which is `deployer.bad_outputs`. */
  status(outputs: TerraformOutputs): Readonly<Record<string, unknown>>;
  /** Describes a planned change that deserves more than its address in a preview. Returns undefined for all others. */
  describeChange?(change: PlannedChange): PreviewItem | undefined;
  /**
   * Looks before anything is removed: throws where that would be refused in the end, and says whether what the spec asks for now has to be applied
   * first. `outputs` are those of the last apply. Left out: nothing is in the way.
   */
  prepareRemoval?(
    entity: DeployedEntity<Kind>,
    outputs: JsonObject,
    cloud: Pick<Cloud, "countObjects">,
  ): Promise<{ readonly applyFirst: boolean }>;
  /** A better fault than the program's own, for a removal that the cloud refused; undefined where there is none. Left out: never. */
  explainRemovalFailure?(fault: Fault, cloud: Pick<Cloud, "countObjects">): Promise<Fault | undefined>;
  /** The resource, `type.name["key"]`, that stands for a thing without tags; `tagged` are the addresses of the others by id. */
  findUntagged(
    thing: { readonly type: string; readonly names: readonly string[] },
    tagged: ReadonlyMap<string, string>,
  ): string | undefined;
}
