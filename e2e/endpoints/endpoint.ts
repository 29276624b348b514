import { methods, type Json, type JsonObject, type Method } from "@cloudwright/contract";
import type { WatchMessage } from "../event-stream.ts";

/** One call in terms of the proto files, independent of the protocol. */
export interface Call {
  readonly method: Method;
  /** The request message in proto3 JSON. */
  readonly request: JsonObject;
  /** The bearer credential, if any. */
  readonly credential: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** An error, without protocol-specific parts. */
export interface Refusal {
  /** The fault's code. */
  readonly code: string;
  readonly message: string;
  readonly help: string;
  /** The gRPC status code. A REST status is converted to it. */
  readonly grpcCode: number;
  readonly fields: readonly { readonly field: string; readonly message: string }[];
  /** Additional machine-readable details, all as text. */
  readonly extra: Readonly<Record<string, string>>;
}

/** The result of a call: the response in canonical proto3 JSON, or the error. */
export type Outcome = { readonly answer: Json } | { readonly refusal: Refusal };

/** Access to the API with one protocol. */
export interface Endpoint {
  readonly name: string;
  call(call: Call): Promise<Outcome>;
  /** Yields the messages of a watch until the signal is aborted. */
  watch(call: Call, signal: AbortSignal): AsyncIterable<WatchMessage>;
  close(): void;
}

/** Returns the method with this name, such as `CreateNetwork`. */
export function getMethod(name: string): Method {
  const found = methods.find((operation) => operation.descriptor.name === name);
  if (found === undefined) throw new Error(`the contract has no method ${name}`);
  return found;
}
