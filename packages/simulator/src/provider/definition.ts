import type { Conditions } from "../cloud/conditions.ts";
import type { CloudRecord, RecordKey } from "../inventory/inventory.ts";
import type { ProviderSchema } from "../schema/schema.ts";
import type { Value, ValueMap } from "../values/value.ts";

/** Something to tell the user: what, more about it, and at which attribute (`["listener", 0, "port"]`). */
export interface Problem {
  readonly severity?: "error" | "warning";
  readonly summary: string;
  readonly detail?: string;
  readonly path?: readonly (string | number)[];
}

/** What a hook may look at: the tenant's own cloud and the configuration of the provider that was called. */
export interface HookContext {
  readonly tenant: string;
  readonly provider: ValueMap;
  readonly nowMs: number;
  /** How the tenant's cloud behaves. */
  readonly conditions: Conditions;
  /** What was made a moment ago is waited for as long as a provider would, where the cloud is slow to tell of it. */
  find(key: RecordKey): Promise<CloudRecord | undefined>;
  /** The records of one type, or all. */
  list(type?: string): Promise<readonly CloudRecord[]>;
}

/** A change that is about to be made; `config` is what the user wrote, with write-only values. */
export interface Change {
  readonly operation: "create" | "update" | "delete";
  readonly id: string;
  readonly prior: ValueMap | null;
  readonly planned: ValueMap | null;
  readonly config: ValueMap;
}

/** What the schema of a resource type does not say. Paths are dotted and run through every element: `listener.port`. */
export interface ResourceHooks {
  /** Attributes that cannot be changed in place. */
  readonly forceNew?: readonly string[];
  /** Values of attributes that the user left out. */
  readonly defaults?: Readonly<Record<string, Value>>;
  /** Computed attributes of the first level that get a new value when one of the named others changes, or any with `"*"`. */
  readonly recompute?: Readonly<Record<string, readonly string[] | "*">>;
  /** Blocks that the cloud fills in where the user has written none. */
  readonly computedBlocks?: readonly string[];
  /** How long the cloud takes, in simulated time. */
  readonly takesMs?: Readonly<Partial<Record<Change["operation"], number>>>;
  /** What is wrong with a configuration; parts of it may be unknown. */
  validate?(config: ValueMap): readonly Problem[];
  /** The id of what is to be created; a made-up one without this hook. */
  createId?(planned: ValueMap, context: HookContext): string;
  /** Why the cloud refuses a change. */
  check?(change: Change, context: HookContext): Promise<readonly Problem[]>;
  /** Values of computed attributes; those that are neither here nor planned are made up. */
  compute?(change: Change, context: HookContext): Promise<ValueMap> | ValueMap;
  /** What the cloud tells of a record, where that is more than what was stored. */
  read?(record: CloudRecord, context: HookContext): Promise<ValueMap> | ValueMap;
  /** What goes along when this is deleted. */
  listFollowers?(change: Change, context: HookContext): Promise<readonly RecordKey[]>;
}

/** A data source's answer; without a hook it is the one resource of the same type that has all the given attributes. */
export interface DataSourceHooks {
  read(config: ValueMap, context: HookContext): Promise<ValueMap | readonly Problem[]> | ValueMap | readonly Problem[];
}

/** A simulated provider: its schema and what the schema does not say. */
export interface ProviderDefinition {
  readonly name: string;
  readonly schema: ProviderSchema;
  readonly resources?: Readonly<Record<string, ResourceHooks>>;
  readonly dataSources?: Readonly<Record<string, DataSourceHooks>>;
  /** What the cloud says when it has had too many calls. */
  readonly throttled?: (operation: string, type: string) => Problem;
  /** What is wrong with the provider's own configuration. */
  validate?(config: ValueMap): readonly Problem[];
  /**
   * Behave as providers of the older SDK do, which give defaults also to attributes that are not computed. Terraform then only logs
   * inconsistencies. Not to be changed for states that exist.
   */
  readonly legacyTypeSystem?: boolean;
}
