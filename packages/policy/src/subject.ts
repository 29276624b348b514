import { cloudOf } from "@cloudwright/contract/clouds";

/** A JSON value. */
export type PolicyValue = string | number | boolean | null | readonly PolicyValue[] | { readonly [key: string]: PolicyValue };
export type PolicyObject = { readonly [key: string]: PolicyValue };

/** An entity as rules see it: its JSON form without status and secrets. */
export interface PolicyEntity {
  readonly kind: string;
  readonly metadata: PolicyObject;
  readonly spec: PolicyObject;
}

/** An entity with its account and its parents. */
export interface PlacedEntity extends PolicyEntity {
  /** The account that pays for the entity. Absent for kinds without one. */
  readonly account?: PolicyEntity;
  /** The entities above it, nearest first. */
  readonly parents: readonly PolicyEntity[];
}

/** The planned change of one resource. */
export interface PolicyChange {
  readonly address: string;
  /** The resource's type in Terraform. */
  readonly type: string;
  readonly action: "none" | "create" | "read" | "update" | "delete" | "replace" | "forget" | "other";
  /** The resource was never completed, because the run that created it failed or was interrupted. Deleting it loses nothing. */
  readonly unfinished: boolean;
  /** The attributes that cannot be changed in place. */
  readonly replacePaths: readonly (readonly (string | number)[])[];
  readonly before: PolicyValue;
  readonly after: PolicyValue;
}

/** The input at admission: is the requested entity allowed? */
export interface EntitySubject {
  readonly on: "entity";
  readonly entity: PlacedEntity;
}

/** The input between plan and apply: may the plan be applied without an approval? */
export interface PlanSubject {
  readonly on: "plan";
  readonly entity: PlacedEntity;
  readonly changes: readonly PolicyChange[];
  /** The destructive changes to data or traffic that the user's request allows: `replace`, `delete`. */
  readonly allow: readonly string[];
}

export type Subject = EntitySubject | PlanSubject;

/** Returns the cloud of an entity's account, or of the entity if it is an account. Empty if there is none. */
export function findCloudName({ kind, spec, account }: PlacedEntity): string {
  const holder = account?.spec ?? (kind === "Account" ? spec : {});
  return cloudOf(holder) ?? "";
}

/** Returns the environment of an entity: its own, or that of its nearest ancestor with one. Empty if there is none. */
export function environmentOf({ metadata, parents }: PlacedEntity): string {
  for (const { metadata: candidate } of [{ metadata }, ...parents]) {
    const environment = Object.hasOwn(candidate, "environment") ? candidate["environment"] : undefined;
    if (typeof environment === "string" && environment !== "") return environment;
  }
  return "";
}
