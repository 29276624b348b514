import type { EntityJson, JsonObject, Kind, Method } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import type { Change, Database, EntityInsert, EntityList, EntityRow } from "@cloudwright/store";
import type { Call, Caller, Reach } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";

/** The API's kind-specific rules. Each omitted rule falls back to the default behaviour. */
export interface KindRules {
  /** Replaces the default check of the caller's role in the project. */
  authorise?(call: Call, method: Method, project: string): Reach;
  /** Throws unless the caller may act on the entity. Replaces the default check of the entity's environment. */
  requireAccess?(call: Call, method: Method, row: EntityRow, ref: string): void;
  /** Returns the environment in which the caller needs the method's role. Default: the entity's own environment. */
  environmentOf?(method: Method, row: EntityRow): string;
  /** Restricts lists and watches to entities that the caller may see. */
  limitToVisible?(caller: Caller): Partial<Pick<EntityList, "parentUid" | "names">>;
  /** Restricts lists, but not watches, based on the caller's credential and the environments that the caller can access. */
  limitList?(caller: Caller, reach: Reach): Partial<Pick<EntityList, "environments" | "names" | "fields">>;
  /** Renders stored entities with values that are computed on each read, such as counts. */
  renderRows?(deps: Pick<ApiDeps, "pool">, rows: readonly StoredRow[]): Promise<string[]>;
  /**
   * Completes the spec of a new entity from entities that it names without a reference, such as the volume of a snapshot. Runs first. Must
   * set all output-only fields, because the request can contain them.
   */
  resolve?(deps: Pick<ApiDeps, "pool">, target: NewEntityPlace, spec: JsonObject): Promise<JsonObject>;
  /**
   * Fills in defaults and converts values to canonical form. Fields that the spec omits may keep their value from `current`. `owner` is the spec
   * of the entity's owner, if it has one.
   */
  normalise?(spec: JsonObject, current: JsonObject, owner?: JsonObject): JsonObject;
  /** Generates values that the request for a new entity omits, such as a key pair. Runs before the spec is checked. */
  complete?(spec: JsonObject, secrets: Readonly<Record<string, string>>): CompletedSpec;
  /** Checks a new entity against its owner. */
  checkAgainstOwner?(spec: JsonObject, owner: NamedSpec): FieldViolation[];
  /** Checks a change against the current entity. Returns the fields that cannot be changed in place. */
  checkChange?(current: Pick<EntityJson, "spec" | "status">, spec: JsonObject): FieldViolation[];
  /** Returns status fields that are known from the request alone. `projectUid` is empty for kinds that do not belong to a project. */
  renderStatus?(spec: JsonObject, secretsSet: string[], projectUid: string): JsonObject;
  /** Throws unless the entity may be written with this spec. Runs after the checks that do not involve other entities. */
  admit?(deps: Pick<ApiDeps, "pool">, call: Call, entity: AdmittedEntity): Promise<void>;
  /**
   * Chooses what a request for a new entity leaves open and what depends on other entities, such as the host that an instance claims. Returns
   * undefined if there is nothing to choose.
   */
  place?(deps: Pick<ApiDeps, "pool">, entity: PlacedEntity): Promise<JsonObject | undefined>;
  /**
   * Throws unless the entity may still be written with this spec. Runs inside the transaction that writes the entity, after its row and that
   * of its owner have been locked. If a choice of `place` is no longer possible, throws `api.host_claimed`.
   */
  confirm?(database: Database, entity: WrittenEntity): Promise<void>;
  /** Throws unless the caller may create an entity with this spec. */
  requireCreation?(call: Call, method: Method, spec: JsonObject): void;
  /** Maximum number of entities of this kind that one owner can have. Unlimited if absent. */
  readonly mostPerOwner?: number;
  /** Creates a credential together with each new entity. Only the response to the create request contains the credential. */
  issueCredential?(spec: JsonObject): IssuedCredential;
  /** The only spec field that may change during a deletion, because it controls how the entity is deleted. */
  readonly deletionField?: readonly [part: string, field: string];
  /** The spec field that determines whether a deletion keeps the volumes of persistent volume claims. It may change during a deletion. */
  readonly volumesField?: string;
  /** Returns whether the spec describes something that the platform did not create. Such entities are released, never deleted. */
  isForeign?(spec: JsonObject): boolean;
  /** Returns whether the spec describes something that the platform only reads. Drift in such entities cannot be corrected. */
  isReadOnly?(spec: JsonObject): boolean;
  /** Throws if the entity can never be deleted. */
  requireDeletable?(row: EntityRow): void;
  /** Throws if entities outside the subtree still use this entity. */
  requireUnused?(deps: Pick<ApiDeps, "pool">, row: EntityRow): Promise<void>;
  /**
   * Lists secrets of other entities that the agent needs for a task of this entity. The access to each of these entities is audited.
   */
  listTaskSecrets?(deps: Pick<ApiDeps, "pool" | "keyRing">, entityUid: string, taskType: string): Promise<readonly TaskSecrets[]>;
  /** Returns the project whose work stops when this entity is paused. Undefined means that work stops on the whole platform. */
  pausedProject?(row: EntityRow): string | undefined;
  /** Returns whether a change to an entity of this kind can change the caller's rights. */
  changesRightsOf?(change: Change, caller: Caller): boolean;
}

/** Secrets of an entity that another entity's task needs. */
export interface TaskSecrets {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly secrets: Readonly<Record<string, string>>;
}

/** The kind and project of a new entity, and the part of the project that the caller's role covers. */
export interface NewEntityPlace {
  readonly kind: Pick<Kind, "kind">;
  readonly project: string;
  readonly reach: Reach;
}

/** A spec and its secrets, which are stored separately. */
export interface CompletedSpec {
  readonly spec: JsonObject;
  readonly secrets: Readonly<Record<string, string>>;
}

/** An entity that is about to be written, with its secrets. */
export interface AdmittedEntity {
  readonly uid: string;
  readonly project: string;
  readonly projectUid: string;
  readonly spec: JsonObject;
  readonly secrets: Readonly<Record<string, string>>;
  /** The stored spec and secrets. Undefined for a new entity. */
  readonly before:
    | { readonly spec: JsonObject; readonly status: JsonObject; readonly secrets: Readonly<Record<string, string>> }
    | undefined;
}

/** A new entity whose spec may be incomplete. */
export interface PlacedEntity {
  readonly project: string;
  readonly ownerUid: string;
  readonly spec: JsonObject;
}

/** An entity that the current transaction has written. */
export interface WrittenEntity {
  readonly uid: string;
  readonly name: string;
  readonly project: string;
  readonly ownerUid: string;
  readonly spec: JsonObject;
  readonly isNew: boolean;
}

/** A listed entity. `object` is its JSON text. */
export interface StoredRow {
  readonly uid: string;
  readonly object: string;
}

/** An owner, as seen by the rules for its children. */
export interface NamedSpec {
  readonly kind: string;
  readonly name: string;
  readonly spec: JsonObject;
}

/** A credential created together with an entity. */
export interface IssuedCredential {
  /** Status fields that are stored and identify the credential. */
  readonly status: JsonObject;
  readonly columns: Pick<EntityInsert, "apiKey">;
  /** Status fields that only the response to the create request contains, such as a new key. They are never stored. */
  readonly revealed: JsonObject;
}
