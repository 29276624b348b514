import type { Json, JsonObject } from "@cloudwright/contract";

/** An entity as policies see it: without status and secrets. */
export interface JudgedPart {
  readonly kind: string;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

/** An entity with the entities above it. */
export interface JudgedEntity extends JudgedPart {
  /** The account that the entity uses. Absent for kinds that have none. */
  readonly account?: JudgedPart;
  /** The entities above it, nearest first. */
  readonly parents: readonly JudgedPart[];
}

/** What a plan does to one resource, with sensitive values masked. */
export interface JudgedChange {
  readonly address: string;
  /** The resource's type in Terraform. */
  readonly type: string;
  readonly action: string;
  /** Why the resource changes, in Terraform's terms: `replace_because_tainted`. */
  readonly reason: string;
  /** True if the resource was never complete: the run that created it failed or was interrupted. */
  readonly unfinished: boolean;
  /** The attributes that cannot be changed in place. */
  readonly replacePaths: readonly string[];
  readonly before: Json;
  readonly after: Json;
}

/** A rule's finding. `must` denies an entity and requires approval of a plan; `should` warns; `may` informs. */
export interface JudgedFinding {
  readonly rule: string;
  readonly severity: "must" | "should" | "may";
  readonly message: string;
  /** A field of the entity or the address of a resource. Empty for the whole entity or plan. */
  readonly path: string;
  readonly fix: string;
}

/** Evaluates the active policies. It has no side effects. */
export interface Judge {
  entity(placed: JudgedEntity): readonly JudgedFinding[];
  /** `allow` lists the risky effects on data or traffic that the user's request permits: `replace`, `delete`. */
  plan(placed: JudgedEntity, changes: readonly JudgedChange[], allow: readonly string[]): readonly JudgedFinding[];
}

/** Checks overrides of a kind's configuration on a cloud. Returns what is invalid; empty if everything is valid. */
export type CheckOverrides = (
  subject: { readonly kind: string; readonly cloud: string },
  overrides: JsonObject,
) => readonly { readonly path: string; readonly message: string }[];

/** A judge without rules. */
export const openJudge: Judge = { entity: () => [], plan: () => [] };
