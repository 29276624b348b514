import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import type { Kind } from "../kinds/kinds.ts";
import type { User } from "../rbac/user.ts";

/** One request to one cluster. */
export interface Call {
  readonly cluster: AwakeCluster;
  readonly user: User;
  readonly method: string;
  /** Below the cluster's address: `/api/v1/nodes`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** Warnings that clients print. */
  readonly warnings: string[];
  /** Aborted when the client goes or the host stops. */
  readonly signal: AbortSignal;
}

/** A call about objects of one kind. */
export interface ResourceCall extends Call {
  readonly kind: Kind;
  /** Empty for all, and for what belongs to no namespace. */
  readonly namespace: string;
  /** Empty for the collection. */
  readonly name: string;
  readonly subresource: string;
}

/** What goes back: a value as JSON, JSON that is already text, plain text, or a stream of lines. */
export interface Answer {
  readonly code: number;
  readonly body: unknown;
  readonly contentType?: string;
  /** Given when the answer comes in pieces. */
  readonly stream?: AsyncIterable<string>;
}

/** An answer in JSON. */
export function ok(body: unknown, code = 200): Answer {
  return { code, body };
}
