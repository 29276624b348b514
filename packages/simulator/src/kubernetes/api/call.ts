import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import type { Credential } from "../host/cluster-access.ts";
import type { Kind } from "../kinds/kinds.ts";
import type { User } from "../rbac/user.ts";

/** One request to one cluster. */
export interface Call {
  readonly cluster: AwakeCluster;
  readonly user: User;
  /** The caller's credential. Undefined for callers without one. */
  readonly credential?: Credential;
  readonly method: string;
  /** The path relative to the cluster's address, such as `/api/v1/nodes`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** Warnings for the client to print. */
  readonly warnings: string[];
  /** Aborted when the client disconnects or the host stops. */
  readonly signal: AbortSignal;
}

/** A request for objects of one kind. */
export interface ResourceCall extends Call {
  readonly kind: Kind;
  /** Empty for requests across all namespaces, and for cluster-scoped kinds. */
  readonly namespace: string;
  /** Empty for requests to the collection. */
  readonly name: string;
  readonly subresource: string;
}

/** A response: a value to encode as JSON, text that is already JSON, plain text, or a stream of text. */
export interface Answer {
  readonly code: number;
  readonly body: unknown;
  readonly contentType?: string;
  /** Set for a streamed response. The next piece is requested only when the client has read the previous one. */
  readonly stream?: AsyncIterable<string> | Iterable<string>;
  /** Size of the objects that a streamed list keeps in memory until the client has read it. Not set for watches. */
  readonly bytes?: number;
}

/** Creates a JSON response. */
export function ok(body: unknown, code = 200): Answer {
  return { code, body };
}
