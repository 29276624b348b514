import { kinds, type Kind } from "@cloudwright/contract/kinds";
import type { AnyEntity, Stored } from "../entity.ts";

/** The parts of a request that the fake server uses. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** Creates the error that `fetch` throws when a connection is refused. */
export function connectionRefused(): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }) });
}

/** Creates a problem response (RFC 9457). */
export function problem(status: number, code: string, detail: string, more: object = {}): Response {
  return json(
    status,
    { type: "about:blank", title: code, status, code, detail, help: "Look again.", ...more },
    "application/problem+json",
  );
}

export function json(status: number, value: unknown, type = "application/json"): Response {
  return new Response(JSON.stringify(value), { status, headers: { "content-type": type } });
}

/** Creates one page of a list. Page tokens are positions in the list. */
export function page(all: readonly unknown[], query: URLSearchParams, more: object = {}): Response {
  const start = Number(query.get("pageToken") ?? 0);
  const end = start + Number(query.get("pageSize") ?? 100);
  return json(200, { items: all.slice(start, end), ...(end < all.length ? { nextPageToken: String(end) } : {}), ...more });
}

/** Returns a kubeconfig, or an error while the cluster is not running. */
export function answerKubeconfig({ metadata, status }: Stored<AnyEntity>, body: unknown): Response {
  if (status?.phase !== "RUNNING") return problem(409, "api.cluster_not_ready", `Cluster "${metadata.name}" is not running yet`);
  const { role, ttlSeconds, exec } = body as { role?: string; ttlSeconds?: number; exec?: boolean };
  const context = `current-context: ${metadata.name}-${role || "admin"}`;
  if (exec === true)
    return json(200, { kubeconfig: `kind: Config\n${context}\nusers: [{ user: { exec: ${execOf(metadata.name)} } }]\n` });
  return json(200, { kubeconfig: `kind: Config\n${context}\n`, ...(ttlSeconds ? { expiresAt: `in ${ttlSeconds} s` } : {}) });
}

function execOf(name: string): string {
  return JSON.stringify({ command: "aws", args: ["eks", "get-token", "--cluster-name", `${name}-1`, "--region", "eu-west-1"] });
}

/** Creates the response to a change that starts an operation. The `operation-location` header names the operation. */
export function accepted(entity: Stored<AnyEntity>): Response {
  const { project = "", operation = "" } = entity.metadata;
  const answer = json(202, entity);
  answer.headers.set("operation-location", `/v1/projects/${project}/operations/${operation}`);
  return answer;
}

/** Creates an entity as the server would store it. */
export function createEntity(entity: AnyEntity, path: string, version: number): Stored<AnyEntity> {
  const uid = `00000000-0000-7000-8000-${String(version).padStart(12, "0")}`;
  const project = /^\/v1\/projects\/([^/]+)\/./.exec(path)?.[1];
  const metadata = {
    ...entity.metadata,
    name: entity.metadata?.name ?? "",
    uid,
    resourceVersion: "0",
    generation: 1,
    createdAt: "2026-01-01T00:00:00Z",
  };
  return {
    metadata: project === undefined ? metadata : { project, ...metadata },
    spec: entity.spec ?? {},
    status: { phase: "PENDING" },
  };
}

/** Returns the kind of the entity at a path. */
export function kindAt(path: string): Kind {
  const collection = path.split("/").at(-2);
  return kinds.find((kind) => kind.collection === collection) as Kind;
}

/** Returns whether a path refers to a collection rather than to an entity. */
export function isCollection(path: string): boolean {
  return kinds.some((kind) => kind.collection === path.split("/").at(-1)) && path.split("/").length % 2 === 1;
}

/** Returns whether a path is under `prefix`. */
export function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(`${prefix}/`);
}

/** Renders one message of a watch stream. */
export function renderEvent(type: string, kind: string, resourceVersion: string, object?: object): Uint8Array {
  return encode(`id: ${resourceVersion}\nevent: ${type}\ndata: ${JSON.stringify({ type, kind, resourceVersion, object })}\n\n`);
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
