import type { QuotaName } from "../cloud/quotas.ts";
import type { CloudRecord } from "../inventory/inventory.ts";
import type { Change, HookContext, Problem, ResourceHooks, SideEffects } from "../provider/definition.ts";
import type { Value, ValueMap } from "../values/value.ts";
import type { Refusal } from "./refusal.ts";

/** A reference from one resource to another. */
export interface Reference {
  /** The attribute path, such as `default_node_pool.vnet_subnet_id`. */
  readonly path: string;
  /** The resource types that the reference may point to. */
  readonly to: readonly string[];
  /** Returns the error for a missing target. If omitted, targets are not checked. */
  readonly missing?: (id: string) => Refusal;
  /** How the reference affects the deletion of its target. `holds` blocks it, and `follows` deletes the referring resource too. */
  readonly tie: "holds" | "follows" | "none";
  /** Converts an attribute value into the record id of its target. */
  readonly idOf?: (written: string) => string | undefined;
}

/** A quota on resources that share the value of an attribute, such as clusters per location. `within` names the attribute. */
export interface Limit {
  readonly quota: QuotaName;
  readonly within: string;
  readonly refusal: (limit: number) => Refusal;
}

/** The behaviour specific to one Azure resource type. */
export interface AzureResource extends Pick<ResourceHooks, "forceNew" | "defaults" | "recompute" | "computedBlocks"> {
  /** The type's name in the provider's error messages, such as `Kubernetes Cluster`. */
  readonly noun: string;
  /**
   * Template of the resource id, or a function that returns the id. Changing an attribute that appears in the template replaces the
   * resource.
   */
  readonly path: string | ((planned: ValueMap, context: HookContext) => string);
  readonly names?: readonly Reference[];
  readonly limits?: readonly Limit[];
  /** Returns the error for a deletion that another resource blocks. */
  readonly held?: (id: string, holder: CloudRecord) => Refusal;
  /** Duration of each operation, in simulated seconds. */
  readonly takes?: Readonly<Partial<Record<Change["operation"], number>>>;
  validate?(config: ValueMap): readonly Problem[];
  check?(change: AzureChange, context: HookContext): Promise<readonly Refusal[]> | readonly Refusal[];
  compute?(change: AzureChange, context: HookContext): Promise<Readonly<Record<string, Value>>> | Readonly<Record<string, Value>>;
  /** Returns the changes that Azure makes to other records along with this one. */
  sideEffects?(change: AzureChange, context: HookContext): Promise<SideEffects> | SideEffects;
  /** Returns the attributes that Azure reports. If the hook is omitted, Azure reports the stored attributes. */
  read?(record: CloudRecord, context: HookContext): Promise<ValueMap> | ValueMap;
}

/** The behaviour of Azure resource types, keyed by type name. */
export type AzureResources = Readonly<Record<string, AzureResource>>;

/** A change to a resource. `planned` is empty for a deletion, `prior` for a creation. */
export interface AzureChange {
  readonly operation: Change["operation"];
  readonly id: string;
  readonly prior: ValueMap;
  readonly planned: ValueMap;
  readonly config: ValueMap;
}

/** The common prefix of the ids of all resources in a resource group. */
export const inGroup = "/subscriptions/{subscription_id}/resourceGroups/{resource_group_name}/providers";
