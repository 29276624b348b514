import type { EntityJson } from "@cloudwright/contract";

/** The result of a method as JSON text. REST sends the text unchanged; Connect and gRPC parse it into a message. */
export interface Answer {
  readonly body: string;
  /** True if the response contains a secret and must not be cached. */
  readonly secret?: boolean;
  readonly created?: boolean;
  /** The entity's resourceVersion, sent as the ETag header. */
  readonly version?: string;
  /** The entity's name, sent in the Location header. */
  readonly name?: string;
  /** The operation that tracks the requested work. If set, the response says that the request was accepted but not completed. */
  readonly operation?: { readonly project: string; readonly name: string };
}

/** Returns a reference to the newest operation on an entity, or an empty object if there is none. */
export function followedBy({ metadata }: EntityJson): Pick<Answer, "operation"> {
  const { project = "", operation: name = "" } = metadata;
  return name === "" ? {} : { operation: { project, name } };
}
