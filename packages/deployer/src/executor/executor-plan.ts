import type { ReadonlyJson } from "@cloudwright/platform";

/**
 * The changes that an executor intends to make. Policies, approvals, previews and the timeline rely only on this format, so they work with
 * every executor. Sensitive values are masked everywhere except in the saved plan.
 */
export interface ExecutorPlan {
  readonly changes: readonly PlannedChange[];
  /** Changes that were made in the cloud since the last apply, but not by an executor. */
  readonly drift: readonly PlannedChange[];
  /** Dependencies between all resources, including unchanged ones. */
  readonly dependencies: readonly PlannedDependency[];
  /** Version of the state document that the plan is based on. The serial is 0 if no document existed. */
  readonly base: { readonly serial: number; readonly lineage: string };
  /** The configuration version that the plan upgrades the entity from. Absent if the version stays the same. */
  readonly upgradedFrom?: string;
  /** Hash that identifies this exact plan. */
  readonly digest: string;
  /**
   * Serialises the plan, so that any agent can apply it later. The bytes contain secrets and can be read only by the same type of executor.
   */
  save(): Promise<Buffer>;
}

/** The planned action for a resource. */
export type PlannedAction = "create" | "read" | "update" | "replace" | "delete" | "import" | "move" | "forget" | "none" | "other";

/** The attribute names and list indexes that lead to an attribute. */
export type AttributePath = readonly (string | number)[];

/** The planned change to one resource. */
export interface PlannedChange {
  /** Address in the form `TYPE.NAME["KEY"]`, unique within the entity. */
  readonly address: string;
  /** A `data` resource is only read, never changed. */
  readonly mode: "managed" | "data";
  readonly resourceType: string;
  /** The resource's name, unique within its type and module. */
  readonly name: string;
  readonly module?: string;
  readonly action: PlannedAction;
  /** The reason why the resource is replaced or deleted, such as `replace_because_cannot_update`. */
  readonly reason?: string;
  /** Changed attributes that cannot be updated in place. */
  readonly replacePaths: readonly AttributePath[];
  /** Cloud id of the existing resource, if the plan imports one. */
  readonly importId?: string;
  readonly before: ReadonlyJson;
  readonly after: ReadonlyJson;
  readonly changedPaths: readonly ChangedAttribute[];
}

/** A changed attribute with its old and new values. */
export interface ChangedAttribute {
  readonly path: AttributePath;
  readonly before: ReadonlyJson;
  readonly after: ReadonlyJson;
  readonly isSensitive: boolean;
  /** True if the new value is known only after the apply. */
  readonly isUnknown: boolean;
  /** True if the provider computes the unknown value, because the configuration does not set the attribute. */
  readonly isComputed?: boolean;
}

/** The resources that a resource depends on. They are created before it and deleted after it. */
export interface PlannedDependency {
  readonly address: string;
  readonly needs: readonly string[];
}
