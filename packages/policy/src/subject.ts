import { cloudOf } from "@cloudwright/contract/clouds";

export type PolicyValue = string | number | boolean | null | readonly PolicyValue[] | { readonly [key: string]: PolicyValue };
export type PolicyObject = { readonly [key: string]: PolicyValue };

/** An entity as rules see it: its JSON representation without status and secrets. */
export interface PolicyEntity {
  readonly kind: string;
  readonly metadata: PolicyObject;
  readonly spec: PolicyObject;
}

/** An entity with its account and its ancestors. */
export interface PlacedEntity extends PolicyEntity {
  /** The cloud account that contains the entity. Absent for kinds that have none. */
  readonly account?: PolicyEntity;
  /** Owner, owner's owner and so on, nearest first. */
  readonly parents: readonly PolicyEntity[];
}

/** The planned change to one resource. */
export interface PolicyChange {
  readonly address: string;
  /** Terraform's resource type. */
  readonly type: string;
  readonly action: "none" | "create" | "read" | "update" | "delete" | "replace" | "forget" | "other";
  /** True if the run that created the resource failed or was interrupted. Deleting such a resource loses no data. */
  readonly unfinished: boolean;
  /** Attributes whose change forces a replacement. */
  readonly replacePaths: readonly (readonly (string | number)[])[];
  readonly before: PolicyValue;
  readonly after: PolicyValue;
}

/** Subject at admission: may the requested entity be created or changed? */
export interface EntitySubject {
  readonly on: "entity";
  readonly entity: PlacedEntity;
}

/** Subject between plan and apply: may the plan be applied without approval? */
export interface PlanSubject {
  readonly on: "plan";
  readonly entity: PlacedEntity;
  readonly changes: readonly PolicyChange[];
  /** Destructive changes to data or traffic that the user has allowed in the request: `replace`, `delete`. */
  readonly allow: readonly string[];
  /** The configuration version that the plan upgrades the entity from. Empty if the version stays the same. */
  readonly upgradedFrom: string;
}

export type Subject = EntitySubject | PlanSubject;

/** Returns the cloud of an entity's account, or of the entity itself if it is an account. Returns "" if there is none. */
export function findCloudName({ kind, spec, account }: PlacedEntity): string {
  const holder = account?.spec ?? (kind === "Account" ? spec : {});
  return cloudOf(holder) ?? "";
}

/** Returns the environment of an entity or, if it has none, of its nearest ancestor with one. Returns "" if there is none. */
export function environmentOf({ metadata, parents }: PlacedEntity): string {
  for (const { metadata: candidate } of [{ metadata }, ...parents]) {
    const environment = Object.hasOwn(candidate, "environment") ? candidate["environment"] : undefined;
    if (typeof environment === "string" && environment !== "") return environment;
  }
  return "";
}
