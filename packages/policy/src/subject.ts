/** A value as JSON has it. */
export type PolicyValue = string | number | boolean | null | readonly PolicyValue[] | { readonly [key: string]: PolicyValue };
export type PolicyObject = { readonly [key: string]: PolicyValue };

/** An entity as rules see it: its JSON form without status and without secrets. */
export interface PolicyEntity {
  readonly kind: string;
  readonly metadata: PolicyObject;
  readonly spec: PolicyObject;
}

/** An entity with what it lies in. */
export interface PlacedEntity extends PolicyEntity {
  /** The account it is paid by; absent for kinds that have none. */
  readonly account?: PolicyEntity;
  /** What lies above it, the nearest first. */
  readonly parents: readonly PolicyEntity[];
}

/** What a plan does to one resource. */
export interface PolicyChange {
  readonly address: string;
  /** `aws_eks_cluster`. */
  readonly type: string;
  readonly action: "none" | "create" | "read" | "update" | "delete" | "replace" | "forget" | "other";
  /** It was never whole: the run that made it failed or was cut off, and nothing can be lost with it. */
  readonly unfinished: boolean;
  /** The attributes that cannot be changed in place. */
  readonly replacePaths: readonly (readonly (string | number)[])[];
  readonly before: PolicyValue;
  readonly after: PolicyValue;
}

/** Asked at admission: may the entity be as it is asked for? */
export interface EntitySubject {
  readonly on: "entity";
  readonly entity: PlacedEntity;
}

/** Asked between plan and apply: may the plan be applied without asking anybody? */
export interface PlanSubject {
  readonly on: "plan";
  readonly entity: PlacedEntity;
  readonly changes: readonly PolicyChange[];
  /** What the user's own request allows to be done to what holds data or traffic: `replace`, `delete`. */
  readonly allow: readonly string[];
}

export type Subject = EntitySubject | PlanSubject;

const clouds = ["aws", "gcp", "azure", "local"] as const;

/** The cloud of an entity, by its account or, for an account, by itself; empty when there is none. */
export function cloudOf({ kind, spec, account }: PlacedEntity): string {
  const holder = account?.spec ?? (kind === "Account" ? spec : {});
  return clouds.find((cloud) => Object.hasOwn(holder, cloud)) ?? "";
}

/** The environment of an entity: its own, or that of the nearest above it that has one; empty when there is none. */
export function environmentOf({ metadata, parents }: PlacedEntity): string {
  for (const { metadata: candidate } of [{ metadata }, ...parents]) {
    const environment = Object.hasOwn(candidate, "environment") ? candidate["environment"] : undefined;
    if (typeof environment === "string" && environment !== "") return environment;
  }
  return "";
}
