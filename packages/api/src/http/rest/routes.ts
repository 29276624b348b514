import { methods, type HttpBinding, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { renderWarnings, warningsHeader, type Answer } from "../../calls/answer.ts";
import { bodyOwnerOf, isHeldUntilRead, waitsForOthers, type MethodTurns } from "../../calls/method-turns.ts";
import { requireCaller, type Call } from "../../calls/authorise.ts";
import type { ApiDeps } from "../../deps.ts";
import { apiFaults } from "../../faults.ts";
import { invoke, recordFailure } from "../../calls/invoke.ts";
import { toFault } from "../problem.ts";
import { awaitDelivery, isGone, sendBody, signalOf } from "../delivery.ts";
import type { Pace } from "../pace.ts";
import { requireServed } from "../served.ts";
import type { Hub } from "../../watch/hub.ts";
import { prepareWatch, type WatchInput } from "../../watch/open-watch.ts";
import type { BodyBudget } from "../bodies/body-budget.ts";
import { allowBody, isLargeBody, keepBody, maxBodyBytes, parseBody } from "./body.ts";
import { createInputReader, type ReadInput } from "./inputs.ts";
import { rejectMethod, rejectOtherMethods, splitName } from "./reject-methods.ts";
import { openEventStream } from "./sse.ts";

export interface RestDeps extends ApiDeps {
  readonly hub: Hub;
  readonly turns: MethodTurns;
  readonly pace: Pace;
  readonly bodies: BodyBudget;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
  authenticateRequest(request: FastifyRequest): Promise<Call>;
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Serves every method over REST, at the paths declared in the proto files. */
export function registerRestRoutes(app: FastifyInstance, deps: RestDeps): void {
  const methodsByPath = new Map<string, Set<string>>();
  const verbsByPath = new Map<string, Map<string, Handle>>();
  for (const method of methods) {
    for (const binding of method.bindings) {
      const [path, verb] = splitVerb(binding.path);
      const url = toRoute(path);
      const handle = createHandler(deps, method, binding);
      if (verb === undefined) {
        app.route({ method: binding.method, url, onRequest: admitSender(deps, method), handler: handle });
        addTo(methodsByPath, url, binding.method);
      } else {
        const verbs = verbsByPath.get(url) ?? new Map<string, Handle>();
        verbsByPath.set(url, verbs.set(verb, handle));
      }
    }
  }
  for (const [url, httpMethods] of methodsByPath) {
    const verbs = verbsByPath.get(url);
    if (verbs !== undefined) serveVerbs(app, deps, url, httpMethods, verbs);
    rejectOtherMethods(app, url, httpMethods, new Set(verbs?.keys()));
  }
}

/** Registers one route that handles all custom verbs of a path. */
function serveVerbs(
  app: FastifyInstance,
  deps: RestDeps,
  url: string,
  httpMethods: ReadonlySet<string>,
  verbs: ReadonlyMap<string, Handle>,
): void {
  app.post(url, { onRequest: admitSender(deps) }, async (request, reply) => {
    const [name, verb] = splitName(request);
    if (verb === undefined) throw rejectMethod(request, reply, httpMethods);
    const handle = verbs.get(verb);
    if (handle === undefined)
      throw new Fault(
        apiFaults.no_route,
        `there is no route for POST ${request.url}; supported verbs: ${[...verbs.keys()].join(", ")}`,
      );
    (request.params as Record<string, string>)["name"] = name;
    return handle(request, reply);
  });
}

const admitted = new WeakMap<FastifyRequest, Call>();

/** Size limit for the bodies of requests that need no credentials. */
const publicBodyBytes = 64 * 1024;

/** Returns a hook that authenticates the sender before the server receives the body. Paths with custom verbs serve several methods. */
function admitSender(deps: RestDeps, method?: Method): (request: FastifyRequest) => Promise<void> {
  const isPublic = method?.role === "public";
  return async (request) => {
    const call = await deps.authenticateRequest(request);
    if (!isPublic) requireCaller(call);
    admitted.set(request, call);
    allowBody(deps.bodies, request, bodyOwnerOf(call, method), isPublic ? publicBodyBytes : maxBodyBytes);
  };
}

async function authenticate(deps: RestDeps, request: FastifyRequest): Promise<Call> {
  return admitted.get(request) ?? deps.authenticateRequest(request);
}

function createHandler(deps: RestDeps, method: Method, binding: HttpBinding): Handle {
  const read = createInputReader(method, binding);
  if (method.streaming) return createWatchHandler(deps, method, read);
  const watch = method.verb === "list" ? findWatch(method) : undefined;
  const watchHandler = watch && createWatchHandler(deps, watch, createInputReader(watch, { ...binding, path: binding.path }));
  return async (request, reply) => {
    if (watchHandler !== undefined && (request.query as Record<string, unknown>)["watch"] !== undefined && takeWatch(request))
      return watchHandler(request, reply);
    using _ = keepBody(request);
    const call = await authenticate(deps, request);
    requireServed(deps.served, method);
    const heard = waitsForOthers(method) ? { ...call, signal: signalOf(reply.raw, deps.closing) } : call;
    const run = async (): Promise<Answer> => {
      if (isLargeBody(request)) await deps.pace();
      parseBody(request);
      return invoke(deps, heard, method, read(request, request.params as Record<string, string>));
    };
    const deliver = async (): Promise<void> => {
      const answer = await run();
      send(request, reply, method, answer);
      const { length } = answer.body;
      if (isHeldUntilRead(method, length)) await awaitDelivery(reply.raw, length);
    };
    const { project = "" } = request.params as { readonly project?: string };
    await deps.turns.run(call, method, deliver, { project, isGone: () => isGone(reply.raw) });
    return reply;
  };
}

function findWatch(list: Method): Method | undefined {
  return methods.find((candidate) => candidate.verb === "watch" && candidate.kind === list.kind);
}

/** Removes `watch` from the query and returns its value. */
function takeWatch(request: FastifyRequest): boolean {
  const query = request.query as Record<string, unknown>;
  const { watch } = query;
  if (watch !== "true" && watch !== "false") {
    throw new Fault(apiFaults.bad_query, `query parameter "watch" must be true or false`, {
      fields: [{ field: "watch", message: "must be true or false" }],
    });
  }
  delete query["watch"];
  return watch === "true";
}

function createWatchHandler(deps: RestDeps, method: Method, read: ReadInput): Handle {
  return async (request, reply) => {
    const call = await authenticate(deps, request);
    const resume = request.headers["last-event-id"];
    const given = read(request, request.params as Record<string, string>);
    const input: WatchInput = {
      project: "",
      parent: "",
      labelSelector: "",
      resourceVersion: "",
      ...given,
      // A reconnecting browser repeats the original URL. The Last-Event-ID header contains the position it had reached.
      ...(typeof resume === "string" && resume !== "" ? { resourceVersion: resume } : {}),
    };
    const prepare = (): ReturnType<typeof prepareWatch> => prepareWatch(deps, call, method, input);
    const prepared = await deps.turns.run(call, method, prepare).catch(async (error: unknown) => {
      await recordFailure(deps, call, method, input, error);
      throw error;
    });
    // A HEAD response has no body, so a stream would send nothing and never end.
    if (request.method === "HEAD") return reply.type("text/event-stream; charset=utf-8").send();
    // A client that has already disconnected emits no further close event, so its watch would never end.
    if (reply.raw.destroyed || request.raw.destroyed || request.raw.aborted) return reply.hijack();
    const gone = new Promise<void>((resolve) => void reply.raw.once("close", resolve));
    const sink = openEventStream(reply, call.requestId, request.url);
    try {
      const leave = await prepared.start(sink);
      void gone.then(leave);
    } catch (error) {
      sink.end(toFault(error, deps.log, call.requestId));
    }
  };
}

function send(request: FastifyRequest, reply: FastifyReply, method: Method, answer: Answer): void {
  if (answer.secret === true) void reply.header("cache-control", "no-store");
  if (answer.version !== undefined) void reply.header("etag", `"${answer.version}"`);
  const { created = false, operation: followed, warnings = [] } = answer;
  if (warnings.length > 0) void reply.header(warningsHeader, renderWarnings(warnings));
  if (created || followed !== undefined) {
    void reply.code(followed === undefined ? 201 : 202);
    const base = request.url.split("?")[0] ?? "";
    if (method.verb !== "create") void reply.header("location", splitVerbOff(base));
    else if (answer.name !== undefined) void reply.header("location", `${base}/${answer.name}`);
    if (followed !== undefined)
      void reply.header("operation-location", `/v1/projects/${followed.project}/operations/${followed.name}`);
  }
  sendBody(reply.type("application/json; charset=utf-8"), answer.body);
}

function splitVerb(path: string): [path: string, verb: string | undefined] {
  const match = /^(.*\}):([a-z-]+)$/.exec(path);
  return match === null ? [path, undefined] : [match[1] as string, match[2]];
}

function splitVerbOff(path: string): string {
  return path.replace(/:[a-z-]+$/, "");
}

function toRoute(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(value));
}
