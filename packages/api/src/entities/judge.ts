import type { Json, JsonObject } from "@cloudwright/contract";

/** An entity as policies see it: without status and without secrets. */
export interface JudgedPart {
  readonly kind: string;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

/** An entity with what it lies in. */
export interface JudgedEntity extends JudgedPart {
  /** The account it is paid by; absent for kinds that have none. */
  readonly account?: JudgedPart;
  /** What lies above it, the nearest first. */
  readonly parents: readonly JudgedPart[];
}

/** What a plan does to one resource, sensitive values masked. */
export interface JudgedChange {
  readonly address: string;
  /** The resource's type in Terraform. */
  readonly type: string;
  readonly action: string;
  /** Why, in Terraform's word: `replace_because_tainted`. */
  readonly reason: string;
  /** It was never whole: the run that made it failed or was cut off. */
  readonly unfinished: boolean;
  /** The attributes that cannot be changed in place. */
  readonly replacePaths: readonly string[];
  readonly before: Json;
  readonly after: Json;
}

/** What one rule says. `must` denies an entity and has a person asked about a plan, `should` warns, `may` only tells. */
export interface JudgedFinding {
  readonly rule: string;
  readonly severity: "must" | "should" | "may";
  readonly message: string;
  /** Where: a field of the entity, or the address of a resource; empty for the whole. */
  readonly path: string;
  readonly fix: string;
}

/** Says what the policies in force think. It is asked, never told: it has no effect of its own. */
export interface Judge {
  entity(placed: JudgedEntity): readonly JudgedFinding[];
  /** `allow` is what the user's own request lets be done to what holds data or traffic: `replace`, `delete`. */
  plan(placed: JudgedEntity, changes: readonly JudgedChange[], allow: readonly string[]): readonly JudgedFinding[];
}

/** Says what is refused in overrides of the configuration of a kind on a cloud; empty means fine. */
export type CheckOverrides = (
  subject: { readonly kind: string; readonly cloud: string },
  overrides: JsonObject,
) => readonly { readonly path: string; readonly message: string }[];

/** A judge without rules. */
export const openJudge: Judge = { entity: () => [], plan: () => [] };
