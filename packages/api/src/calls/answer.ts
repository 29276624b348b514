import type { Message } from "@bufbuild/protobuf";
import type { EntityJson } from "@cloudwright/contract";

/** The result of a method as JSON text. REST sends the text unchanged; Connect and gRPC parse it into a message. */
export interface Answer {
  readonly body: string;
  /** The same result as a message, if the method provides one. Agents' calls use the message to avoid a conversion to JSON and back. */
  readonly message?: Message;
  /** True if the response contains a secret and must not be cached. */
  readonly secret?: boolean;
  readonly created?: boolean;
  /** The entity's resourceVersion, sent as the ETag header. */
  readonly version?: string;
  /** The entity's name, sent in the Location header. */
  readonly name?: string;
  /** Warnings for the caller, one line each, sent in the `cloudwright-warnings` header. */
  readonly warnings?: readonly string[];
  /** The operation that tracks the requested work. If set, the response says that the request was accepted but is not yet complete. */
  readonly operation?: { readonly project: string; readonly name: string };
}

/** Returns a reference to the newest operation on an entity, or an empty object if there is none. */
export function followedBy({ metadata }: EntityJson): Pick<Answer, "operation"> {
  const { project = "", operation: name = "" } = metadata;
  return name === "" ? {} : { operation: { project, name } };
}

/** The response header that contains an answer's warnings. */
export const warningsHeader = "cloudwright-warnings";

const mostWarnings = 10;
const longestWarning = 400;

/** Renders warnings as a JSON array of strings in ASCII, because headers cannot contain other characters. */
export function renderWarnings(warnings: readonly string[]): string {
  const short = warnings.slice(0, mostWarnings).map((text) => text.slice(0, longestWarning));
  return JSON.stringify(short).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
