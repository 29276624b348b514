import type { JsonObject } from "../entities.ts";

/** An entity in the form in which a caller sends it. */
export interface EntityInput {
  readonly kind: string;
  readonly what: string;
  readonly input: JsonObject;
}

/** An entity that the contract rejects, with the field that the violation must name. */
export interface RejectedInput extends EntityInput {
  readonly field: string;
  /**
   * True if the JSON schema accepts the input and only the server rejects it, for example because a range has host bits set or a time zone
   * is unknown.
   */
  readonly beyondSchema?: true;
}
