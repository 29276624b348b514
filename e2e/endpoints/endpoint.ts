import { methods, type Json, type JsonObject, type Method } from "@cloudwright/contract";
import type { WatchMessage } from "../event-stream.ts";

/** One call, in the words of the proto files, whatever the endpoint. */
export interface Call {
  readonly method: Method;
  /** The request message in proto3 JSON. */
  readonly request: JsonObject;
  /** Bearer credential; none when undefined. */
  readonly credential: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** An error, without what only one endpoint says. */
export interface Refusal {
  /** The fault's code. */
  readonly code: string;
  readonly message: string;
  readonly help: string;
  /** Number of the gRPC code; REST's status is translated. */
  readonly grpcCode: number;
  readonly fields: readonly { readonly field: string; readonly message: string }[];
  /** More for programs, all as text. */
  readonly extra: Readonly<Record<string, string>>;
}

/** What a call came to: the answer in canonical proto3 JSON, or why there is none. */
export type Outcome = { readonly answer: Json } | { readonly refusal: Refusal };

/** A way into the API. */
export interface Endpoint {
  readonly name: string;
  call(call: Call): Promise<Outcome>;
  /** The messages of a watch, until the signal. */
  watch(call: Call, signal: AbortSignal): AsyncIterable<WatchMessage>;
  close(): void;
}

/** The operation of that name, for example `CreateNetwork`. */
export function getOperation(name: string): Method {
  const found = methods.find((operation) => operation.descriptor.name === name);
  if (found === undefined) throw new Error(`no operation ${name}`);
  return found;
}
