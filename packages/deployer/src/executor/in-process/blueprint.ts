import type { TaskKind } from "@cloudwright/contract";
import type { Secret } from "@cloudwright/platform";
import type { Cloud } from "../../cloud.ts";
import type { DeployedAccount, DeployedEntity, DeployerTask, Json, JsonObject, Surroundings } from "../../task.ts";
import type { ExecutorWork } from "../executor.ts";
import type { PlannedChange } from "../executor-plan.ts";
import type { PreviewItem } from "../preview-item.ts";

/** Describes how to build a service in a cloud with the in-process executor. The equivalent for Terraform is a stack. */
export interface Blueprint<Kind extends TaskKind = TaskKind> {
  readonly service: string;
  readonly cloud: string;
  /** Version of the blueprint, recorded with the outputs of each apply. */
  readonly version: string;
  /**
   * Returns the resource types, connected to the account's cloud. A type must come before the types that refer to it, because adopted
   * resources are deleted in the reverse of this order. A type must stay in the list while any entity may still have resources of this
   * type.
   */
  openTypes(work: Pick<ExecutorWork, "task" | "account" | "session">): Promise<readonly ResourceType[]>;
  /** Returns the desired resources. Must be deterministic. Throws a fault if the spec cannot be built. */
  resources(entity: DeployedEntity<Kind>, account: DeployedAccount, around: Surroundings): readonly DesiredResource[];
  /**
   * Reads facts that the desired resources depend on, such as a secret or the current size of a pool that an autoscaler controls. The
   * result is passed to `resources` when a change is planned.
   */
  observe?(entity: DeployedEntity<Kind>, around: Surroundings, opened: Observed): Promise<JsonObject>;
  /** Returns the fields for the entity's status. `attributesOf` looks up the attributes of an applied resource by its address. */
  outputs(attributesOf: (address: string) => JsonObject, entity: DeployedEntity<Kind>, around: Surroundings): JsonObject;
  /** Describes a planned change in more detail for a preview. Returns undefined if the generic description is sufficient. */
  describeChange?(change: PlannedChange): readonly PreviewItem[] | undefined;
  /** Returns whether another program is expected to change this attribute. Such a change does not count as drift. */
  isChangedByOthers?(
    resource: { readonly resourceType: string; readonly address: string },
    path: readonly (string | number)[],
    around: Surroundings,
  ): boolean;
  /**
   * Returns the node pool that a resource belongs to, or undefined if it belongs to none. A pool that cannot be built does not stop the
   * changes of other pools. Without this function, every failure stops the run.
   */
  poolOf?(resource: { readonly type: string; readonly name: string }): string | undefined;
  /** Runs before a resource is deleted or replaced. Makes the cloud accept the deletion, for example by turning off deletion protection. */
  beforeDelete?(resource: DeletedResource, cloud: Cloud, work: DeletionWork): Promise<void>;
}

/** The sources from which a blueprint reads facts: the account's cloud, and the entity's secrets, keyed by field path. */
export interface Observed {
  openCloud(): Promise<Pick<Cloud, "clusters">>;
  readonly secrets: Secret<Readonly<Record<string, string>>>;
}

/** A resource that is about to be deleted. */
export interface DeletedResource {
  readonly type: string;
  /** Name of the desired resource. */
  readonly name: string;
  readonly id: string;
}

/** The task that deletes a resource. */
export interface DeletionWork {
  readonly task: DeployerTask;
  readonly account: DeployedAccount;
  /** True if the whole entity is being deleted. */
  readonly isRemoval: boolean;
}

/** A resource that should exist. Its address is `type.name`. */
export interface DesiredResource {
  readonly type: string;
  /** Letters, digits, underscores and dashes. Must be unique within the type. */
  readonly name: string;
  /** The attributes to set. Use `refer` for the value of another resource's attribute. */
  readonly attributes: JsonObject;
  /** Addresses of additional resources that must exist first. References in the attributes are included automatically. */
  readonly needs?: readonly string[];
}

/** Manages resources of one type. Every function must be safe to repeat with the same arguments after a failure or a crash. */
export interface ResourceType {
  readonly name: string;
  /** Attributes that cannot be updated in place. A change to one of them replaces the resource. */
  readonly immutable: readonly string[];
  /** Attributes that only `create` uses. They are never compared, so that a difference neither counts as drift nor replaces the resource. */
  readonly onlyForCreation?: readonly string[];
  /** Attributes whose values must never be displayed. */
  readonly sensitive?: readonly string[];
  /**
   * Creates a resource and sets its ownership tag in the same call. If the cloud supports idempotency tokens, pass `owner.token`, so that a
   * repeated call does not create a second resource.
   */
  create(attributes: JsonObject, owner: Owner, signal: AbortSignal): Promise<CreatedResource>;
  /** Returns all attributes in the format that `create` accepts, or undefined if the resource does not exist. */
  read(id: string, signal: AbortSignal): Promise<JsonObject | undefined>;
  /** Updates a resource in place and returns all of its attributes. */
  update(id: string, attributes: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Deletes a resource. Succeeds if the resource does not exist. */
  delete(id: string, signal: AbortSignal): Promise<void>;
  /**
   * Returns every resource that carries the entity's ownership tag. The result must include each resource whose creation has been
   * confirmed.
   */
  listOwned(entityUid: string, signal: AbortSignal): Promise<readonly OwnedResource[]>;
  /**
   * Returns the entity uid from a resource's ownership tag, or undefined if the resource has no such tag. If a type lacks this function,
   * users can adopt only resources that `listOwned` returns.
   */
  findOwner?(id: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Identifies the entity and the desired resource that a cloud resource belongs to. */
export interface Owner {
  readonly entityUid: string;
  /** Name of the desired resource that the cloud resource was created for. */
  readonly name: string;
  readonly token: string;
}

/** A new resource as the cloud returned it. */
export interface CreatedResource {
  readonly id: string;
  readonly attributes: JsonObject;
}

/** A resource found by its ownership tag. */
export interface OwnedResource {
  readonly id: string;
  readonly name: string;
}

const addressKey = "$address";
const attributeKey = "$attribute";

/** Creates a reference to an attribute of another resource. Every resource has the `id` attribute. */
export function refer(address: string, attribute: string): JsonObject {
  return { [addressKey]: address, [attributeKey]: attribute };
}

/** Returns the target of a reference, or undefined if the value is not a reference. */
export function findReference(value: Json): { readonly address: string; readonly attribute: string } | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { [addressKey]: address, [attributeKey]: attribute } = value;
  return typeof address === "string" && typeof attribute === "string" ? { address, attribute } : undefined;
}

export function addressOf({ type, name }: { readonly type: string; readonly name: string }): string {
  return `${type}.${name}`;
}

/** Returns the addresses of all resources that a resource depends on. */
export function listNeeds({ attributes, needs = [] }: DesiredResource): string[] {
  return [...new Set([...needs, ...listReferenced(attributes)])];
}

function listReferenced(value: Json): string[] {
  const reference = findReference(value);
  if (reference !== undefined) return [reference.address];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listReferenced) : [];
}
