import type { EntityJson } from "@cloudwright/contract";

/** What an operation answers: JSON text, ready for REST and read back into a message by the other doors. */
export interface Answer {
  readonly body: string;
  /** True for what nobody on the way may keep. */
  readonly secret?: boolean;
  /** True where something new came into being. */
  readonly created?: boolean;
  /** The entity's resourceVersion, for ETag. */
  readonly version?: string;
  /** Name of the entity, for Location. */
  readonly name?: string;
  /** The operation that follows the change: it was accepted, the work is still to be done. */
  readonly operation?: { readonly project: string; readonly name: string };
}

/** The part of an answer that names the newest operation on an entity; nothing when there never was one. */
export function followedBy({ metadata }: EntityJson): Pick<Answer, "operation"> {
  const { project = "", operation: name = "" } = metadata;
  return name === "" ? {} : { operation: { project, name } };
}
