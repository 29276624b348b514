import type { Json, JsonObject } from "@cloudwright/contract";

/** An entity as policies see it, without status and secrets. */
export interface JudgedPart {
  readonly kind: string;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

/** An entity with its ancestors. */
export interface JudgedEntity extends JudgedPart {
  /** The account that the entity belongs to. Absent for kinds without an account. */
  readonly account?: JudgedPart;
  /** The entity's ancestors, nearest first. */
  readonly parents: readonly JudgedPart[];
}

/** A planned change to one resource, with sensitive values masked. */
export interface JudgedChange {
  readonly address: string;
  /** The Terraform resource type. */
  readonly type: string;
  readonly action: string;
  /** Terraform's reason for the change, such as `replace_because_tainted`. */
  readonly reason: string;
  /** True if the resource was never completely created because its run failed or was interrupted. */
  readonly unfinished: boolean;
  /** The attributes that force a replacement. */
  readonly replacePaths: readonly string[];
  readonly before: Json;
  readonly after: Json;
}

/**
 * A finding from a policy rule. A `must` finding denies an entity or requires approval of a plan, `should` is a warning, and `may` is
 * informational.
 */
export interface JudgedFinding {
  readonly rule: string;
  readonly severity: "must" | "should" | "may";
  readonly message: string;
  /** A field of the entity or the address of a resource. Empty if the finding is about the whole entity or plan. */
  readonly path: string;
  readonly fix: string;
}

/** Evaluates the active policies without side effects. Large plans are evaluated in another thread, in which the projects take turns. */
export interface Judge {
  entity(placed: JudgedEntity): readonly JudgedFinding[];
  /**
   * `allow` lists the risky actions that the user's request permits, such as `replace`. `upgradedFrom` is the configuration version that
   * the plan upgrades from, or "" if the version does not change.
   */
  plan(
    placed: JudgedEntity,
    changes: readonly JudgedChange[],
    allow: readonly string[],
    upgradedFrom?: string,
  ): Promise<readonly JudgedFinding[]>;
}

/** Checks the overrides of a kind's Terraform configuration in one cloud. Returns one entry per problem. */
export type CheckOverrides = (
  subject: { readonly kind: string; readonly cloud: string },
  overrides: JsonObject,
) => readonly { readonly path: string; readonly message: string }[];

/** A judge without rules, which allows everything. */
export const openJudge: Judge = { entity: () => [], plan: () => Promise.resolve([]) };
