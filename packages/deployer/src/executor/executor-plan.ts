import type { ReadonlyJson } from "@cloudwright/platform";

/**
 * The changes that an executor intends to make. Policies, approvals, previews and the timeline read only this format, so they work for every
 * executor. Sensitive values are masked everywhere except in the saved plan.
 */
export interface ExecutorPlan {
  readonly changes: readonly PlannedChange[];
  /** Changes that others made since the last apply. */
  readonly drift: readonly PlannedChange[];
  /** The dependencies between all resources, including those that do not change. */
  readonly dependencies: readonly PlannedDependency[];
  /** The version of the state document that the plan was made for. The serial is 0 if there was no document. */
  readonly base: { readonly serial: number; readonly lineage: string };
  /** A hash that identifies this exact plan. */
  readonly digest: string;
  /** Packs the plan so that any agent can apply exactly this plan. The bytes contain secrets and mean something to the same executor only. */
  save(): Promise<Buffer>;
}

/** The planned action for one resource. */
export type PlannedAction = "create" | "read" | "update" | "replace" | "delete" | "import" | "move" | "forget" | "none" | "other";

/** The names and list positions that lead to an attribute. */
export type AttributePath = readonly (string | number)[];

/** A planned change of one resource. */
export interface PlannedChange {
  /** Unique within the entity: `TYPE.NAME["KEY"]`. */
  readonly address: string;
  /** Resources with the mode `data` are read, never changed. */
  readonly mode: "managed" | "data";
  readonly resourceType: string;
  /** The resource's name within its type and module. */
  readonly name: string;
  readonly module?: string;
  readonly action: PlannedAction;
  /** Why the resource is replaced or deleted: `replace_because_cannot_update`. */
  readonly reason?: string;
  /** The attributes that cannot be updated in place. */
  readonly replacePaths: readonly AttributePath[];
  /** The id of an existing resource that the plan adopts. */
  readonly importId?: string;
  readonly before: ReadonlyJson;
  readonly after: ReadonlyJson;
  readonly changedPaths: readonly ChangedAttribute[];
}

/** One attribute that differs. */
export interface ChangedAttribute {
  readonly path: AttributePath;
  readonly before: ReadonlyJson;
  readonly after: ReadonlyJson;
  readonly isSensitive: boolean;
  /** The new value is unknown until the change was applied. */
  readonly isUnknown: boolean;
}

/** The resources that must exist before a resource is created, and that are deleted after it. */
export interface PlannedDependency {
  readonly address: string;
  readonly needs: readonly string[];
}
