import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { describeError } from "@cloudwright/platform";
import { admitCall } from "../api/answer-call.ts";
import type { Answer } from "../api/call.ts";
import { StatusError } from "../api/status-error.ts";
import { findTokenUser } from "../api/service-account-token.ts";
import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import { isAllowed } from "../rbac/authorize.ts";
import { serviceAccountUser, type User } from "../rbac/user.ts";
import { clusterOfServerName, type ClusterAccess } from "./cluster-access.ts";

const largestBody = 3 * 1024 * 1024;
const longestSkipped = 64 * 1024;

/** Finds the cluster that a request addresses and the path below it. If the path does not name a cluster, the TLS server name is used. */
export function routeOf(request: IncomingMessage): { id: string; url: URL } | undefined {
  const url = new URL(request.url ?? "/", "https://cluster");
  const [, id, rest] = /^\/clusters\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? [];
  if (id !== undefined) {
    url.pathname = rest ?? "/";
    return { id, url };
  }
  const { servername } = request.socket as TLSSocket & { servername?: string | false };
  const named = typeof servername === "string" ? clusterOfServerName(servername) : undefined;
  return named === undefined ? undefined : { id: named, url };
}

/** Handles one request to a loaded cluster. */
export async function answerRequest(
  cluster: AwakeCluster,
  access: ClusterAccess,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  stopping: AbortSignal,
  findOther: (token: string) => Promise<User | undefined>,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const warnings: string[] = [];
  try {
    const user = impersonate(cluster, await authenticate(cluster, access, request, findOther), request);
    const call = {
      cluster,
      user,
      method: request.method ?? "GET",
      path: url.pathname.length > 1 ? url.pathname.replace(/\/+$/, "") : url.pathname,
      query: url.searchParams,
      headers: request.headers as Record<string, string | undefined>,
      warnings,
      signal: AbortSignal.any([gone.signal, stopping]),
    };
    const execute = admitCall(call);
    const answer = execute(await readBody(request));
    // A change is acknowledged only after it is stored. Reads may return it slightly earlier.
    if (call.method !== "GET") await cluster.state.kept();
    for (const warning of warnings) response.appendHeader("Warning", `299 - "${warning.replaceAll(/["\\]/g, "\\$&")}"`);
    await send(response, answer);
  } catch (error) {
    sendError(response, error);
  }
}

async function authenticate(
  cluster: AwakeCluster,
  access: ClusterAccess,
  request: IncomingMessage,
  findOther: (token: string) => Promise<User | undefined>,
): Promise<User> {
  const header = request.headers.authorization;
  if (header === undefined) return { name: "system:anonymous", groups: ["system:unauthenticated"] };
  const token = /^Bearer\s+(\S+)$/i.exec(header)?.[1] ?? "";
  const user =
    access.findUser(token, cluster.clock.now()) ??
    (token.split(".").length === 3 ? findTokenUser(cluster, token) : undefined) ??
    (await findOther(token));
  if (user === undefined) throw new StatusError(401, "Unauthorized", "Unauthorized");
  return user;
}

// Handles `kubectl --as`: a user who may impersonate others acts as the given user.
function impersonate({ state }: AwakeCluster, user: User, { headers }: IncomingMessage): User {
  const name = headers["impersonate-user"];
  if (typeof name !== "string") return user;
  const groups = [headers["impersonate-group"] ?? []].flat().flatMap((text) => text.split(", "));
  const wanted = [{ resource: "users", name }, ...groups.map((group) => ({ resource: "groups", name: group }))];
  for (const one of wanted) {
    if (isAllowed(state, user, { verb: "impersonate", group: "", namespace: "", path: "", ...one })) continue;
    const what = `User "${user.name}" cannot impersonate resource "${one.resource}" in API group "" at the cluster scope`;
    throw new StatusError(403, "Forbidden", `${one.resource} "${one.name}" is forbidden: ${what}`, {
      name: one.name,
      kind: one.resource,
    });
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  if (account !== null && groups.length === 0) return serviceAccountUser(account[1] ?? "", account[2] ?? "");
  return { name, groups: [...groups, "system:authenticated"] };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > largestBody)
      throw new StatusError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${largestBody}`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function send(response: ServerResponse, { code, body, contentType = "application/json", stream }: Answer): Promise<void> {
  response.setHeader("Content-Type", contentType);
  response.setHeader("Cache-Control", "no-cache, private");
  response.statusCode = code;
  if (stream === undefined) {
    response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
    return;
  }
  response.flushHeaders();
  for await (const piece of stream) {
    if (piece !== "" && !response.write(piece))
      await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
  }
  response.end();
}

/** Sends an error as a Kubernetes Status. For an unexpected error, the client sees only the error's message. */
export function sendError(response: ServerResponse, error: unknown): void {
  const refusal =
    error instanceof StatusError
      ? error
      : new StatusError(500, "InternalError", `Internal error occurred: ${describeError(error)}`);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.statusCode = refusal.code;
  // Discards a short unread body, so that the connection can be reused. If an unread body is long, the connection is closed instead.
  if (Number(response.req.headers["content-length"] ?? 0) <= longestSkipped) response.req.resume();
  else if (!response.req.complete) response.setHeader("Connection", "close");
  response.setHeader("Content-Type", "application/json");
  if (refusal.details?.retryAfterSeconds !== undefined)
    response.setHeader("Retry-After", String(refusal.details.retryAfterSeconds));
  response.end(JSON.stringify(refusal.toStatus()));
}
