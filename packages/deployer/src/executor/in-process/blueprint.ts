import type { TaskKind } from "@cloudwright/contract";
import type { DeployedAccount, DeployedEntity, Json, JsonObject, Surroundings } from "../../task.ts";
import type { ExecutorWork } from "../executor.ts";

/** Describes a service in a cloud as data, for the in-process executor. A Terraform stack is the counterpart for Terraform. */
export interface Blueprint<Kind extends TaskKind = TaskKind> {
  readonly service: string;
  readonly cloud: string;
  /** Recorded with the outputs of an apply. */
  readonly version: string;
  /**
   * Returns the resource types, connected to the account's cloud. A type comes before the types that refer to it. The removal of adopted resources
   * follows this order in reverse. Types must stay in the list as long as entities may have resources of them.
   */
  openTypes(work: Pick<ExecutorWork, "task" | "account" | "session">): Promise<readonly ResourceType[]>;
  /** Returns the desired resources. Throws a fault if the spec cannot be built. Must depend on nothing but its arguments. */
  resources(entity: DeployedEntity<Kind>, account: DeployedAccount, around: Surroundings): readonly DesiredResource[];
  /** Returns the fields of the entity's status. `attributesOf` returns the attributes of an applied resource by its address. */
  outputs(attributesOf: (address: string) => JsonObject): JsonObject;
}

/** A resource that should exist. Its address is `type.name`. */
export interface DesiredResource {
  readonly type: string;
  /** Letters, digits, underscores and dashes. Unique within the type. */
  readonly name: string;
  /** The attributes to set. Values made by `refer` stand for attributes of other resources. */
  readonly attributes: JsonObject;
  /** Addresses of resources that must exist first, in addition to those that the attributes refer to. */
  readonly needs?: readonly string[];
}

/**
 * Creates, reads, updates and deletes resources of one type. Every function may be called again after a failure or a kill, with the same
 * arguments.
 */
export interface ResourceType {
  readonly name: string;
  /** The attributes that cannot be updated in place. A change of one replaces the resource. */
  readonly immutable: readonly string[];
  /** The attributes whose values are shown nowhere. */
  readonly sensitive?: readonly string[];
  /**
   * Creates a resource and tags it with its owner in the same call. A cloud that supports idempotency tokens receives `owner.token`: the same token
   * must not create a second resource.
   */
  create(attributes: JsonObject, owner: Owner, signal: AbortSignal): Promise<CreatedResource>;
  /** Returns all attributes in the form that `create` accepts, or undefined if the resource does not exist. */
  read(id: string, signal: AbortSignal): Promise<JsonObject | undefined>;
  /** Updates a resource in place and returns all attributes. */
  update(id: string, attributes: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Deletes a resource. Succeeds if it does not exist. */
  delete(id: string, signal: AbortSignal): Promise<void>;
  /** Returns every resource with the entity's ownership tag. Must include resources whose creation was answered before. */
  listOwned(entityUid: string, signal: AbortSignal): Promise<readonly OwnedResource[]>;
}

/** The ownership tag of a resource. */
export interface Owner {
  readonly entityUid: string;
  /** The name of the desired resource. */
  readonly name: string;
  readonly token: string;
}

/** A resource as its creation returns it. */
export interface CreatedResource {
  readonly id: string;
  readonly attributes: JsonObject;
}

/** A resource that was found by its ownership tag. */
export interface OwnedResource {
  readonly id: string;
  readonly name: string;
}

const addressKey = "$address";
const attributeKey = "$attribute";

/** Refers to an attribute of another resource. The attribute `id` always exists. */
export function refer(address: string, attribute: string): JsonObject {
  return { [addressKey]: address, [attributeKey]: attribute };
}

/** Returns the address and attribute of a reference, or undefined for all other values. */
export function findReference(value: Json): { readonly address: string; readonly attribute: string } | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { [addressKey]: address, [attributeKey]: attribute } = value;
  return typeof address === "string" && typeof attribute === "string" ? { address, attribute } : undefined;
}

/** Returns the address of a resource. */
export function addressOf({ type, name }: { readonly type: string; readonly name: string }): string {
  return `${type}.${name}`;
}

/** Returns the addresses of all resources that a desired resource needs. */
export function listNeeds({ attributes, needs = [] }: DesiredResource): string[] {
  return [...new Set([...needs, ...listReferenced(attributes)])];
}

function listReferenced(value: Json): string[] {
  const reference = findReference(value);
  if (reference !== undefined) return [reference.address];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listReferenced) : [];
}
