import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { describeError } from "@cloudwright/platform";
import { admitCall } from "../api/answer-call.ts";
import type { Answer } from "../api/call.ts";
import { largestBytes, tooLarge } from "../api/object-size.ts";
import { StatusError } from "../api/status-error.ts";
import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import type { Reading } from "../cluster/cluster-state.ts";
import { isAllowed } from "../rbac/authorize.ts";
import { serviceAccountUser, type User } from "../rbac/user.ts";
import type { Caller } from "./authenticate.ts";
import { clusterOfServerName } from "./cluster-access.ts";
import type { Hold } from "./in-flight.ts";
import { runTraced, traceText, type WorkTrace } from "./work-trace.ts";
import { deliver, type DeliveryLimits } from "../../http/deliver.ts";

const longestSkipped = 64 * 1024;

/** Finds the cluster that a request addresses and the path within it. If the path does not name a cluster, the TLS server name is used. */
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

/** The dependencies that the host provides for a request. */
export interface RequestContext {
  /** Aborted when the host stops. */
  readonly stopping: AbortSignal;
  /** Undefined for a request without a credential. The body of such a request is never read. */
  readonly caller: Caller | undefined;
  readonly trace: WorkTrace;
  readonly delivery: DeliveryLimits;
  /**
   * Counts the size of a list that the client has not read yet, or of a received part of the body. Throws if the cluster or its project
   * exceeds a limit.
   */
  readonly hold: Hold;
}

/** Handles one request to a loaded cluster. Resolves when the client has read the response or has disconnected. */
export async function answerRequest(
  cluster: AwakeCluster,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  { stopping, caller, trace, delivery, hold }: RequestContext,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const warnings: string[] = [];
  const { id } = cluster.record;
  let reading: Reading | undefined;
  try {
    const user = impersonate(cluster, caller?.userIn(cluster) ?? anonymous, request);
    const call = {
      cluster,
      user,
      ...(caller !== undefined && { credential: caller.credential }),
      method: request.method ?? "GET",
      path: withoutTrailingSlashes(url.pathname),
      query: url.searchParams,
      headers: request.headers as Record<string, string | undefined>,
      warnings,
      signal: AbortSignal.any([gone.signal, stopping]),
    };
    const execute = runTraced(trace, id, () => admitCall(call));
    const hasBody = caller !== undefined && !["GET", "HEAD"].includes(call.method);
    const body = hasBody ? await readBody(request, hold) : Buffer.alloc(0);
    const answer = runTraced(trace, id, () => execute(body));
    if (answer.bytes !== undefined) reading = cluster.state.startReading(() => response.destroy());
    // A change is acknowledged only after it is stored. Reads may return it slightly earlier.
    if (call.method !== "GET") await cluster.state.kept();
    for (const warning of warnings) response.appendHeader("Warning", `299 - "${warning.replaceAll(/["\\]/g, "\\$&")}"`);
    if (call.method === "GET" && answer.bytes !== undefined) hold("listBytes", answer.bytes);
    if (!request.complete) response.setHeader("Connection", "close");
    await send(response, traced(trace, id, answer), delivery);
  } catch (error) {
    sendError(response, error);
  } finally {
    if (reading !== undefined) cluster.state.endReading(reading);
  }
}

const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

// Only lists are traced. Watches are rendered in small pieces, and their streams wait for changes in between.
function traced(trace: WorkTrace, id: string, answer: Answer): Answer {
  const { stream } = answer;
  return stream !== undefined && Symbol.iterator in stream ? { ...answer, stream: traceText(trace, id, stream) } : answer;
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end--;
  return path.slice(0, end);
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

async function readBody(request: IncomingMessage, hold: Hold): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > largestBytes) throw tooLarge();
    hold("bodyBytes", part.length);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function send(
  response: ServerResponse,
  { code, body, contentType = "application/json", stream, bytes }: Answer,
  limits: DeliveryLimits,
): Promise<void> {
  response.setHeader("Content-Type", contentType);
  response.setHeader("Cache-Control", "no-cache, private");
  response.statusCode = code;
  if (stream !== undefined) {
    if (bytes === undefined) response.flushHeaders();
    return deliver(response, stream, bytes, limits);
  }
  const whole = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  response.setHeader("Content-Length", Buffer.byteLength(whole));
  return deliver(response, [whole], whole.length, limits);
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
  const { "content-length": length = "0", "transfer-encoding": encoding } = response.req.headers;
  if (encoding === undefined && Number(length) <= longestSkipped) response.req.resume();
  else if (!response.req.complete) response.setHeader("Connection", "close");
  response.setHeader("Content-Type", "application/json");
  if (refusal.details?.retryAfterSeconds !== undefined)
    response.setHeader("Retry-After", String(refusal.details.retryAfterSeconds));
  response.end(JSON.stringify(refusal.toStatus()));
}
