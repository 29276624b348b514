import { createUid } from "@cloudwright/platform";
import type { QuotaName } from "../cloud/quotas.ts";
import type { CloudRecord } from "../inventory/inventory.ts";
import type { Change, HookContext, Problem, ResourceHooks } from "../provider/definition.ts";
import type { Value, ValueMap } from "../values/value.ts";
import type { Place } from "./place.ts";
import type { Refusal } from "./refusal.ts";

/** That a resource names another one. */
export interface Reference {
  /** Where: `vpc_config.subnet_ids`. */
  readonly path: string;
  /** The types that it may be of. */
  readonly to: readonly string[];
  /** What AWS says when there is none; without this nobody looks. */
  readonly missing?: (id: string) => Refusal;
  /** What becomes of the two when the named one is to go: it is kept, this goes along, or nothing. */
  readonly tie: "holds" | "follows" | "none";
  /** The record's id from what was written there: an ARN ends in a name. */
  readonly idOf?: (written: string) => string | undefined;
}

/** How many there may be of a resource among those that are alike in an attribute. */
export interface Limit {
  readonly quota: QuotaName;
  readonly within: string;
  readonly refusal: (limit: number) => Refusal;
  /** Which of them count. */
  readonly counts?: (attributes: ValueMap) => boolean;
}

/** What is special about a resource type of AWS. */
export interface AwsResource extends Pick<ResourceHooks, "forceNew" | "defaults" | "recompute" | "computedBlocks"> {
  /** As the provider says it: `EC2`, `Subnet`. */
  readonly service: string;
  readonly noun: string;
  /** AWS's calls, where they are not Create, Modify or Delete and the noun. */
  readonly calls?: Readonly<Partial<Record<Change["operation"], string>>>;
  /** The beginning of a made-up id, or the id itself. */
  readonly id: string | ((planned: ValueMap, place: Place, context: HookContext) => string);
  readonly arn?: (id: string, attributes: ValueMap, place: Place) => string;
  readonly names?: readonly Reference[];
  readonly limits?: readonly Limit[];
  /** What AWS says when another one holds it. */
  readonly held?: (id: string, holder: CloudRecord) => Refusal;
  /** Simulated seconds. */
  readonly takes?: Readonly<Partial<Record<Change["operation"], number>>>;
  validate?(config: ValueMap): readonly Problem[];
  check?(change: AwsChange, context: HookContext): Promise<readonly Refusal[]> | readonly Refusal[];
  compute?(change: AwsChange, context: HookContext): Promise<Readonly<Record<string, Value>>> | Readonly<Record<string, Value>>;
  /** The attributes of a record as AWS tells them later on. */
  read?(record: CloudRecord, context: HookContext): Promise<ValueMap> | ValueMap;
}

/** A change and where it is made. `planned` is empty for a deletion, `prior` for a creation. */
export interface AwsChange {
  readonly operation: Change["operation"];
  readonly id: string;
  readonly prior: ValueMap;
  readonly planned: ValueMap;
  readonly config: ValueMap;
  readonly place: Place;
}

/** A made-up id: the prefix, a hyphen and seventeen hexadecimal digits. */
export function makeId(prefix: string, nowMs: number): string {
  return `${prefix}-${createUid(nowMs).replaceAll("-", "").slice(-17)}`;
}
