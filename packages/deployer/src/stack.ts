import type { TaskKind } from "@cloudwright/contract";
import type { Fault, ReadonlyJsonObject, Secret } from "@cloudwright/platform";
import type { Backend, TerraformOutputs } from "@cloudwright/terraform";
import type { Cloud } from "./cloud.ts";
import type { PlannedChange } from "./executor/executor-plan.ts";
import type { PreviewItem } from "./executor/preview-item.ts";
import type { DeployedAccount, DeployedEntity, Json, JsonObject, Surroundings } from "./task.ts";

/**
 * Pure functions that map a kind of entity in one cloud to a folder of Terraform configurations. A thrown fault becomes a condition of the
 * entity. Any other error is reported as a bug in the stack and does not stop the agent.
 */
export interface Stack<Kind extends TaskKind = TaskKind> {
  /** The service whose tasks the stack handles, for example `network`. */
  readonly service: string;
  /** The folder that contains the configurations. Default: the service's name. */
  readonly folder?: string;
  readonly cloud: string;
  /**
   * Renders the variables for a configuration version. They are written to a file and must not contain secrets. Throws if the spec is
   * invalid.
   */
  variables(
    entity: DeployedEntity<Kind>,
    account: DeployedAccount,
    around: Surroundings,
    version: string,
  ): Readonly<Record<string, Json>>;
  /**
   * Renders variables that a configuration version always accepts. They are used to delete an entity with an invalid spec. Without this
   * function, such a deletion fails.
   */
  removalVariables?(
    entity: DeployedEntity<Kind>,
    around: Surroundings,
    version: string,
  ): Readonly<Record<string, Json>> | undefined;
  /** Returns secret variables. Terraform receives them only through its environment, and logs never contain them. */
  secretVariables?(entity: DeployedEntity<Kind>, account: DeployedAccount): Readonly<Record<string, Secret<Json>>>;
  /** Returns the provider credentials as environment variables. Logs never contain them. Simulated accounts have none. */
  credentials?(account: DeployedAccount): Readonly<Record<string, Secret>>;
  /** Returns the state backend for entities whose spec does not choose one. By default, the platform stores the state. */
  backend?(entity: DeployedEntity<Kind>): Backend | undefined;
  /**
   * Reads facts from the cloud that the variables depend on, such as the current size of a pool that an autoscaler controls. The result is
   * passed to `variables`. Runs before a plan, a preview and an apply. If the result differs between plan and apply, a new plan is made. Throws if the spec cannot be built.
   */
  observe?(
    entity: DeployedEntity<Kind>,
    around: Surroundings,
    cloud: Pick<Cloud, "clusters">,
    version: string,
  ): Promise<JsonObject>;
  /** Returns additional provider settings as environment variables, such as the region. They must not contain secrets. */
  environment(account: DeployedAccount): Readonly<Record<string, string>>;
  /**
   * Converts Terraform's outputs to fields of the entity's status. Any error becomes `deployer.bad_outputs`. The `next_run` field
   * describes another run that the same operation needs. That run must not request the same run again, because a repeated request is
   * ignored.
   */
  status(outputs: TerraformOutputs): Readonly<Record<string, unknown>>;
  /** Describes a planned change in more detail for a preview. Returns undefined if the generic description is sufficient. */
  describeChange?(change: PlannedChange): readonly PreviewItem[] | undefined;
  /**
   * Runs before a deletion starts. Throws if the cloud would reject the deletion later. `applyFirst` says whether the current spec must be
   * applied before the deletion. `outputs` comes from the last apply.
   */
  prepareRemoval?(
    entity: DeployedEntity<Kind>,
    outputs: JsonObject,
    cloud: Pick<Cloud, "countObjects" | "snapshotVolume">,
    signal: AbortSignal,
  ): Promise<{ readonly applyFirst: boolean }>;
  /**
   * Types of resources that the cloud deletes only after `releaseForRemoval`, and that must be deleted before their replacement is created.
   * Each is mapped to the types of resources that prevent its deletion.
   */
  readonly protectedTypes?: Readonly<Record<string, readonly string[]>>;
  /**
   * Runs immediately before an entity is deleted, or before a plan replaces a resource of one of the `protectedTypes`. Makes the cloud
   * accept the deletion, for example by turning off deletion protection.
   */
  releaseForRemoval?(entity: DeployedEntity<Kind>, outputs: JsonObject, cloud: Pick<Cloud, "clusters">): Promise<void>;
  /** Returns whether another program is expected to change this attribute. Such a change does not count as drift. */
  isChangedByOthers?(
    resource: { readonly resourceType: string; readonly address: string },
    path: readonly (string | number)[],
    around: Surroundings,
  ): boolean;
  /**
   * Returns the node pool that a resource belongs to, or undefined if it belongs to none. A pool that cannot be built does not fail a run of
   * a cluster that was built before. Without this function, every failure does.
   */
  poolOf?(address: string): string | undefined;
  /**
   * Returns whether the cloud refuses to delete this resource by itself, but deletes it together with its parent. When the entity is deleted,
   * such a resource is removed from the state first. `attributes` may contain secrets.
   */
  isDeletedWithParent?(resource: { readonly resourceType: string; readonly attributes: ReadonlyJsonObject }): boolean;
  /** Returns a more specific fault for a deletion that the cloud rejected, or undefined if there is none. */
  explainRemovalFailure?(
    fault: Fault,
    cloud: Pick<Cloud, "countObjects">,
    entity: DeployedEntity<Kind>,
    outputs: JsonObject,
  ): Promise<Fault | undefined>;
  /**
   * Returns the address, such as `type.name["key"]`, of a resource without tags. `tagged` maps the ids of tagged resources to their
   * addresses. `declares` returns whether the configuration has a resource `type.name`. Returns undefined if the entity does not need the
   * resource.
   */
  findUntagged(
    thing: { readonly type: string; readonly names: readonly string[] },
    tagged: ReadonlyMap<string, string>,
    declares: (name: string) => boolean,
    entity: DeployedEntity<Kind>,
    purpose?: AdoptionPurpose,
  ): string | undefined;
}

/** The context in which resources are adopted. */
export interface AdoptionPurpose {
  /** Outputs of the entity's last apply. */
  readonly outputs: JsonObject;
  /** True if the entity is being deleted. */
  readonly isRemoval: boolean;
}
