import type { EntityJson } from "@cloudwright/contract";

/** The result of a method: JSON text, ready for REST. The Connect and gRPC endpoints read it back into a message. */
export interface Answer {
  readonly body: string;
  /** True if the answer contains a secret, so that no cache between server and caller may store it. */
  readonly secret?: boolean;
  /** True if the call created an entity. */
  readonly created?: boolean;
  /** The entity's resourceVersion, sent as the ETag header. */
  readonly version?: string;
  /** The entity's name, sent in the Location header. */
  readonly name?: string;
  /** The operation that follows the change: the request was accepted, and the work is still in progress. */
  readonly operation?: { readonly project: string; readonly name: string };
}

/** Returns the part of a response that names the newest operation on an entity. Empty if there never was one. */
export function followedBy({ metadata }: EntityJson): Pick<Answer, "operation"> {
  const { project = "", operation: name = "" } = metadata;
  return name === "" ? {} : { operation: { project, name } };
}
