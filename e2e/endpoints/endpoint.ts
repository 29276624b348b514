import { methods, type Json, type JsonObject, type Method } from "@cloudwright/contract";
import type { WatchMessage } from "../event-stream.ts";

/** One call in terms of the proto files, independent of the transport protocol. */
export interface Call {
  readonly method: Method;
  /** Request message in proto3 JSON. */
  readonly request: JsonObject;
  /** Bearer credential, or undefined for an anonymous call. */
  readonly credential: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** An error response, reduced to what all protocols have in common. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly help: string;
  /** gRPC status code. For REST it is derived from the HTTP status. */
  readonly grpcCode: number;
  readonly fields: readonly { readonly field: string; readonly message: string }[];
  /** Additional machine-readable details, all as strings. */
  readonly extra: Readonly<Record<string, string>>;
}

/** Result of a call: the response in canonical proto3 JSON, or the error. */
export type Outcome = { readonly answer: Json } | { readonly refusal: Refusal };

/** Gives access to the API through one protocol. */
export interface Endpoint {
  readonly name: string;
  call(call: Call): Promise<Outcome>;
  /** Yields the messages of a watch until `signal` is aborted. */
  watch(call: Call, signal: AbortSignal): AsyncIterable<WatchMessage>;
  close(): void;
}

/** Returns the contract's method with this name, such as `CreateNetwork`. */
export function getMethod(name: string): Method {
  const found = methods.find((operation) => operation.descriptor.name === name);
  if (found === undefined) throw new Error(`the contract has no method ${name}`);
  return found;
}
