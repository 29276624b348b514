import type { Conditions } from "../cloud/conditions.ts";
import type { CloudRecord, RecordKey } from "../inventory/inventory.ts";
import type { ProviderSchema } from "../schema/schema.ts";
import type { Value, ValueMap } from "../values/value.ts";

/** A diagnostic for the user. `path` names the attribute, such as `["listener", 0, "port"]`. */
export interface Problem {
  readonly severity?: "error" | "warning";
  readonly summary: string;
  readonly detail?: string;
  readonly path?: readonly (string | number)[];
  /** The error that the cloud's own API returns for this problem. Terraform does not see it. */
  readonly refusal?: ApiRefusal;
}

/** An error from a cloud's API. The HTTP status is 400 unless stated otherwise. */
export interface ApiRefusal {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
}

/** The data that a hook can access: the tenant's cloud and the provider's configuration. */
export interface HookContext {
  readonly tenant: string;
  readonly provider: ValueMap;
  readonly nowMs: number;
  /** The current conditions of the tenant's cloud. */
  readonly conditions: Conditions;
  /** Finds a record. If new records become visible only after a lag, waits for the record for as long as a real provider would. */
  find(key: RecordKey): Promise<CloudRecord | undefined>;
  /** Returns the records of one type, or all records. */
  list(type?: string): Promise<readonly CloudRecord[]>;
}

/** A requested change. `config` is the user's configuration, including write-only values. */
export interface Change {
  readonly operation: "create" | "update" | "delete";
  readonly id: string;
  readonly prior: ValueMap | null;
  readonly planned: ValueMap | null;
  readonly config: ValueMap;
}

/** Records that are written or deleted as a side effect of a change to another record. */
export interface SideEffects {
  readonly put?: readonly CloudRecord[];
  readonly delete?: readonly RecordKey[];
}

/** The behaviour of a resource type beyond its schema. Paths such as `listener.port` apply to every list element. */
export interface ResourceHooks {
  /** Attributes whose change requires a replacement. */
  readonly forceNew?: readonly string[];
  /** Returns additional attributes that require a replacement, depending on their old and new values. */
  listReplacements?(prior: ValueMap, planned: ValueMap): readonly string[];
  /** Values for attributes that the user omitted. */
  readonly defaults?: Readonly<Record<string, Value>>;
  /**
   * Computed top-level attributes that become unknown when one of the listed attributes changes; `"*"` means any attribute. A function
   * decides based on the resource's state before the change.
   */
  readonly recompute?: Readonly<Record<string, readonly string[] | "*" | ((prior: ValueMap) => boolean)>>;
  /** Blocks that the cloud computes if the user omits them. */
  readonly computedBlocks?: readonly string[];
  /** Whether creating a resource that already exists succeeds, as with members of access policies. Default: false. */
  readonly isRepeatable?: boolean;
  /** Attributes outside the schema that every new record gets. Terraform never sees them. */
  readonly hidden?: ValueMap;
  /** The duration of each operation in simulated time. */
  readonly takesMs?: Readonly<Partial<Record<Change["operation"], number>>>;
  /** Returns the problems of a configuration, which may contain unknown values. */
  validate?(config: ValueMap): readonly Problem[];
  /** Returns the id of a new resource. Without this hook, the id is generated. */
  createId?(planned: ValueMap, context: HookContext): string;
  /** Returns the reasons why the cloud rejects a change. */
  check?(change: Change, context: HookContext): Promise<readonly Problem[]>;
  /** Returns values of computed attributes. Attributes that are neither planned nor returned get generated values. */
  compute?(change: Change, context: HookContext): Promise<ValueMap> | ValueMap;
  /** Returns the attributes whose values in the cloud differ from the stored ones. */
  read?(record: CloudRecord, context: HookContext): Promise<ValueMap> | ValueMap;
  /** Returns the records that the cloud deletes along with this one. */
  listFollowers?(change: Change, context: HookContext): Promise<readonly RecordKey[]>;
  /** Returns the other records that the cloud changes along with this one, for example the routes of a route table. */
  listSideEffects?(change: Change, context: HookContext): Promise<SideEffects>;
}

/**
 * The behaviour of a data source. Without hooks, a data source returns the single resource of its type that matches all given attributes.
 */
export interface DataSourceHooks {
  read(config: ValueMap, context: HookContext): Promise<ValueMap | readonly Problem[]> | ValueMap | readonly Problem[];
}

/** A simulated provider: its schema, and the behaviour beyond the schema. */
export interface ProviderDefinition {
  readonly name: string;
  readonly schema: ProviderSchema;
  readonly resources?: Readonly<Record<string, ResourceHooks>>;
  readonly dataSources?: Readonly<Record<string, DataSourceHooks>>;
  /** Returns the error that the cloud reports when it throttles a call. */
  readonly throttled?: (operation: string, type: string) => Problem;
  /** Returns the problems of the provider's own configuration. */
  validate?(config: ValueMap): readonly Problem[];
  /**
   * Emulates a provider built with the older SDK, in which defaults also apply to attributes that are not computed. Terraform only logs
   * inconsistencies in such a provider. Do not change this flag while states exist.
   */
  readonly legacyTypeSystem?: boolean;
}
