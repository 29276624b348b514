import type { JsonObject } from "@cloudwright/platform/json";

/**
 * Manages cloud resources of one type, for executors. Each `create` sends at most one request that creates something. Names and attributes
 * are those of Terraform's providers, so that policies, previews and ownership checks work with and without Terraform.
 *
 * `testing/part-contract.ts` checks this contract:
 * - `create` sets the `cloudwright:entity` and `cloudwright:part` tags in the request that creates the resource, then waits until the
 *   resource is usable. If a resource of the same owner already has the name, `create` returns that resource. If a resource of another
 *   owner has the name, `create` throws a fault of the kind `conflict`.
 * - `read` returns the attributes that `create` accepts, outputs, and two booleans. `ready` indicates whether the resource is usable, and
 *   `failed` whether its creation failed permanently. An update with `ready: true` waits until the resource is usable.
 * - `delete` throws `clouds.conflict` if the owner tag names another entity. It succeeds if the resource does not exist.
 */
export interface CloudPart {
  /** Terraform's resource type. */
  readonly name: string;
  /** Attributes that cannot be updated in place. A change to one of them replaces the resource. */
  readonly immutable: readonly string[];
  /**
   * Attributes that only `create` uses, and that may have changed since. They are never compared, so that a difference neither counts as
   * drift nor replaces the resource.
   */
  readonly onlyForCreation?: readonly string[];
  /** Attributes whose values must never be displayed. */
  readonly sensitive?: readonly string[];
  create(attributes: PartAttributes, owner: PartOwner, signal: AbortSignal): Promise<CreatedPart>;
  /** Returns undefined if the resource does not exist. */
  read(id: string, signal: AbortSignal): Promise<PartAttributes | undefined>;
  update(id: string, attributes: PartAttributes, signal: AbortSignal): Promise<PartAttributes>;
  delete(id: string, signal: AbortSignal): Promise<void>;
  /** Returns every resource of this type that carries the entity's ownership tag. */
  listOwned(entityUid: string, signal: AbortSignal): Promise<readonly OwnedPart[]>;
  /** Returns the entity uid in the resource's ownership tag, or undefined if there is no tag or no resource. */
  findOwner(id: string, signal: AbortSignal): Promise<string | undefined>;
  /** True if the machine is claimed from an inventory instead of created. */
  readonly isClaimed?: true;
  /** Returns the output of a machine's serial console. Empty if the cloud has none yet. Absent for resources that are not machines. */
  readConsole?(id: string, signal: AbortSignal): Promise<string>;
  /**
   * Returns the SSH host keys that the cloud generated for a machine, as `TYPE BASE64`. Absent if machines generate their keys themselves
   * and print them to the console.
   */
  readHostKeys?(id: string, signal: AbortSignal): Promise<readonly string[]>;
}

export type PartAttributes = JsonObject;

/** Identifies the entity and the desired resource for which a part creates a cloud resource. */
export interface PartOwner {
  readonly entityUid: string;
  /** Name of the desired resource. */
  readonly name: string;
  /** Identifies the creation. All attempts to create the same resource use the same token. */
  readonly token: string;
}

export interface CreatedPart {
  readonly id: string;
  readonly attributes: PartAttributes;
}

export interface OwnedPart {
  readonly id: string;
  /** Name of the desired resource. */
  readonly name: string;
}

/** Settings that every cloud's parts need. */
export interface PartsOptions {
  /** Uid of the entity whose resources are managed. */
  readonly entityUid: string;
}
