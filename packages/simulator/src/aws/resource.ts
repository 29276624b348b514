import { createUid } from "@cloudwright/platform";
import type { QuotaName } from "../cloud/quotas.ts";
import type { CloudRecord } from "../inventory/inventory.ts";
import type { Change, HookContext, Problem, ResourceHooks, SideEffects } from "../provider/definition.ts";
import type { Value, ValueMap } from "../values/value.ts";
import type { Place } from "./place.ts";
import type { Refusal } from "./refusal.ts";

/** A reference from one resource to another. */
export interface Reference {
  /** The attribute path, such as `vpc_config.subnet_ids`. */
  readonly path: string;
  /** The resource types that the reference may point to. */
  readonly to: readonly string[];
  /** Returns the error for a missing target. If omitted, targets are not checked. */
  readonly missing?: (id: string) => Refusal;
  /** How the reference affects the deletion of its target. `holds` blocks it, and `follows` deletes the referring resource too. */
  readonly tie: "holds" | "follows" | "none";
  /** Returns the target's record id for an attribute value, for example the name at the end of an ARN. */
  readonly idOf?: (written: string) => string | undefined;
}

/** A quota on resources that share the value of an attribute, such as subnets per VPC. `within` names the attribute. */
export interface Limit {
  readonly quota: QuotaName;
  readonly within: string;
  readonly refusal: (limit: number) => Refusal;
  /** Returns whether a resource counts against the quota. */
  readonly counts?: (attributes: ValueMap) => boolean;
}

/** The behaviour specific to one AWS resource type. */
export interface AwsResource extends Pick<
  ResourceHooks,
  "forceNew" | "defaults" | "recompute" | "computedBlocks" | "hidden" | "listReplacements"
> {
  /** Service and noun in the provider's wording, such as `EC2` and `Subnet`. */
  readonly service: string;
  readonly noun: string;
  /** The names of API calls, where they differ from Create, Modify or Delete followed by the noun. */
  readonly calls?: Readonly<Partial<Record<Change["operation"], string>>>;
  /** The prefix of generated ids, or a function that returns the id. */
  readonly id: string | ((planned: ValueMap, place: Place, context: HookContext) => string);
  readonly arn?: (id: string, attributes: ValueMap, place: Place) => string;
  readonly names?: readonly Reference[];
  readonly limits?: readonly Limit[];
  /** Returns the error for a deletion that another resource blocks. */
  readonly held?: (id: string, holder: CloudRecord) => Refusal;
  /** Duration of each operation, in simulated seconds. */
  readonly takes?: Readonly<Partial<Record<Change["operation"], number>>>;
  validate?(config: ValueMap): readonly Problem[];
  check?(change: AwsChange, context: HookContext): Promise<readonly Refusal[]> | readonly Refusal[];
  compute?(change: AwsChange, context: HookContext): Promise<Readonly<Record<string, Value>>> | Readonly<Record<string, Value>>;
  /** Returns the other records that AWS changes along with this one. */
  sideEffects?(change: AwsChange, context: HookContext): Promise<SideEffects> | SideEffects;
  /** Returns the attributes that AWS reports, if they differ from the stored ones. */
  read?(record: CloudRecord, context: HookContext): Promise<ValueMap> | ValueMap;
}

/** A change, and the account and region it applies to. `planned` is empty for a deletion, `prior` for a creation. */
export interface AwsChange {
  readonly operation: Change["operation"];
  readonly id: string;
  readonly prior: ValueMap;
  readonly planned: ValueMap;
  readonly config: ValueMap;
  readonly place: Place;
}

/** Generates an id from the prefix, a hyphen and seventeen hexadecimal digits. */
export function makeId(prefix: string, nowMs: number): string {
  return `${prefix}-${createUid(nowMs).replaceAll("-", "").slice(-17)}`;
}
