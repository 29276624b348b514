import type { EntityJson, JsonObject, Method } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import type { Change, EntityInsert, EntityList, EntityRow } from "@cloudwright/store";
import type { Call, Caller, Reach } from "../calls/caller.ts";
import type { ApiDeps } from "../deps.ts";

/** The rules of one kind that the API treats differently. A kind that leaves a rule out gets the default. */
export interface KindRules {
  /** Decides whether a call may act in a project and where in it, instead of the method's role alone. */
  authorise?(call: Call, method: Method, project: string): Reach;
  /** Throws unless the caller may act on the entity. Replaces the check of the entity's environment. */
  requireAccess?(call: Call, method: Method, row: EntityRow, ref: string): void;
  /** Returns the environment whose members may use the method on the entity; by default the entity's own. */
  environmentOf?(method: Method, row: EntityRow): string;
  /** Limits lists and watches to what the caller may see. */
  limitToVisible?(caller: Caller): Partial<Pick<EntityList, "parentUid" | "names">>;
  /** Limits lists alone, by the caller's credential and reach. */
  limitList?(caller: Caller, reach: Reach): Partial<Pick<EntityList, "environments" | "names" | "fields">>;
  /** Renders stored entities with counts that are computed at each read. */
  renderRows?(deps: Pick<ApiDeps, "pool">, rows: readonly StoredRow[]): Promise<string[]>;
  /** Returns the spec with defaults filled in and one spelling for each value. Values of `current` stay. */
  normalise?(spec: JsonObject, current: JsonObject): JsonObject;
  /** Checks a new entity against the one that owns it. */
  checkAgainstOwner?(spec: JsonObject, owner: NamedSpec): FieldViolation[];
  /** Checks a change against the current entity. Returns what cannot be changed in place. */
  checkChange?(current: Pick<EntityJson, "spec" | "status">, spec: JsonObject): FieldViolation[];
  /** Returns the part of the status that follows from the request. */
  renderStatus?(spec: JsonObject, secretsSet: string[]): JsonObject;
  /** Throws unless the caller may create an entity with this spec. */
  requireCreation?(call: Call, method: Method, spec: JsonObject): void;
  /** Creates a credential with each entity. Only the response to the creation reveals it. */
  issueCredential?(spec: JsonObject): IssuedCredential;
  /** The one field of the spec that may still change while the entity is being deleted, because it says how to delete it. */
  readonly deletionField?: readonly [part: string, field: string];
  /** Throws if the entity can never be deleted. */
  requireDeletable?(row: EntityRow): void;
  /** Throws while something outside the entity's subtree still needs it. */
  requireUnused?(deps: Pick<ApiDeps, "pool">, row: EntityRow): Promise<void>;
  /** The project in which pausing this entity pauses all work; undefined for the whole platform. */
  pausedProject?(row: EntityRow): string | undefined;
  /** Returns whether a change of such an entity may change the rights of a caller. */
  changesRightsOf?(change: Change, caller: Caller): boolean;
}

/** An entity as listed: its JSON is text. */
export interface StoredRow {
  readonly uid: string;
  readonly object: string;
}

/** An entity that another one belongs to. */
export interface NamedSpec {
  readonly kind: string;
  readonly name: string;
  readonly spec: JsonObject;
}

/** A credential that was created with an entity. */
export interface IssuedCredential {
  /** Fields of the stored status that identify the credential. */
  readonly status: JsonObject;
  readonly columns: Pick<EntityInsert, "apiKey">;
  /** Fields of the status that only the answer contains. */
  readonly revealed: JsonObject;
}
