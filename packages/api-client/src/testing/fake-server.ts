import type { DriftJson } from "@cloudwright/contract/gen/cloudwright/v1/drift_pb.ts";
import type { FindingJson, TimelineEntryJson } from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
import type { TaskLogLineJson } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import type { AnyEntity, Stored } from "../entity.ts";
import { answerDrifts } from "./fake-drifts.ts";
import { answerRuns, type FakeRun } from "./fake-runs.ts";
import { answerSimulations, type FakeSimulation } from "./fake-simulations.ts";
import { answerStates, type FakeState } from "./fake-states.ts";
import { actOnOperation, commitWithOperation, passes } from "./fake-work.ts";
import {
  accepted,
  answerKubeconfig,
  createEntity,
  encode,
  isBelow,
  isCollection,
  json,
  kindAt,
  page,
  problem,
  renderEvent,
  type Asked,
} from "./wire.ts";

/** A request that the fake server received. */
export interface SeenRequest extends Asked {
  readonly headers: Headers;
  readonly signal: AbortSignal;
}

type Answer = Response | Error;

/** An in-memory server for client tests, with the REST semantics of the real server. It does not validate requests or check roles. */
export interface FakeServer {
  readonly fetch: typeof globalThis.fetch;
  readonly requests: SeenRequest[];
  /** The only API key that the server accepts. */
  readonly key: string;
  /** Overrides the response to the next matching request. An Error simulates a failed connection. */
  answerOnce(method: string, path: RegExp, answer: () => Answer): void;
  /** Sets an entity's status, as the platform would. */
  setStatus(path: string, status: object): void;
  /** Stores an entity that only the platform writes, such as a task. */
  put(path: string, entity: AnyEntity): void;
  /** Removes an entity, as the platform does at the end of a deletion. */
  remove(path: string): void;
  /** Sets a task's log or an operation's timeline. */
  setLog(path: string, lines: readonly TaskLogLineJson[]): void;
  setTimeline(path: string, entries: readonly TimelineEntryJson[]): void;
  /** Sets the findings that preflight checks return. Default: none. */
  setFindings(findings: readonly FindingJson[]): void;
  /** Sets a Terraform state. */
  setState(path: string, state: FakeState): void;
  /** Stores a run with its plan. */
  setRun(path: string, run: FakeRun): void;
  setDrift(path: string, drift: DriftJson): void;
  /** Sets the simulated cloud of an account. */
  setSimulation(path: string, simulation: FakeSimulation): void;
  /** Ends all open watches, as a server restart does. If a code is given, each watch receives an error with that code first. */
  breakWatches(code?: string): void;
  find(path: string): Stored<AnyEntity> | undefined;
  /** Warnings to include in every response to a write. */
  warn: readonly string[];
}

export function createFakeServer(): FakeServer {
  const entities = new Map<string, Stored<AnyEntity>>();
  const kept = new Map<string, Stored<AnyEntity>>();
  const requests: SeenRequest[] = [];
  const planned: { method: string; path: RegExp; answer: () => Answer }[] = [];
  const watchers = new Set<{ prefix: string; stream: ReadableStreamDefaultController<Uint8Array> }>();
  const taskLogs = new Map<string, readonly TaskLogLineJson[]>();
  const timelines = new Map<string, readonly TimelineEntryJson[]>();
  let findings: readonly FindingJson[] = [];
  const states = new Map<string, FakeState>();
  const runs = new Map<string, FakeRun>();
  const drifts = new Map<string, DriftJson>();
  const simulations = new Map<string, FakeSimulation>();
  const log: { version: number; path: string; type: string }[] = [];
  let version = 100;

  const commit = (type: string, path: string, entity: Stored<AnyEntity>): Stored<AnyEntity> => {
    version += 1;
    const stored = structuredClone(entity);
    stored.metadata.resourceVersion = String(version);
    if (type === "DELETED") entities.delete(path);
    else entities.set(path, stored);
    log.push({ version, path, type });
    for (const { prefix, stream } of watchers) {
      if (isBelow(path, prefix)) stream.enqueue(renderEvent(type, kindAt(path).kind, String(version), stored));
    }
    return stored;
  };

  const openWatch = (prefix: string, { query, signal }: SeenRequest): Response => {
    const from = query.get("resourceVersion");
    const self: { prefix: string; stream: ReadableStreamDefaultController<Uint8Array> } = { prefix, stream: undefined as never };
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        self.stream = stream;
        watchers.add(self);
        signal.addEventListener("abort", () => {
          if (watchers.delete(self)) stream.error(signal.reason);
        });
        const missed =
          from === null
            ? [...entities.keys()].map((path) => ({ path, type: "ADDED", version }))
            : log.filter((entry) => entry.version > Number(from));
        for (const entry of missed.filter(({ path }) => isBelow(path, prefix))) {
          const entity = entities.get(entry.path);
          if (entity !== undefined)
            stream.enqueue(renderEvent(entry.type, kindAt(entry.path).kind, entity.metadata.resourceVersion, entity));
        }
        if (from === null) stream.enqueue(renderEvent("SYNCED", "", String(version)));
      },
      cancel: () => void watchers.delete(self),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };

  /** Replaces a uid at the end of a path with the entity's name. */
  const resolve = (path: string): string => {
    const [uid, folder] = [path.slice(path.lastIndexOf("/") + 1), path.slice(0, path.lastIndexOf("/"))];
    const named = [...entities].find(([at, { metadata }]) => metadata.uid === uid && isBelow(at, folder));
    return named?.[0] ?? path;
  };

  /** Creates an operation on the entity with this uid, for a drift check or for accepting or correcting a drift report. */
  const openOperation = (uid: string, verb: "update" | "correct" | "check"): string | undefined => {
    const [at, entity] = [...entities].find(([, { metadata }]) => metadata.uid === uid) ?? [];
    if (at === undefined || entity === undefined) return undefined;
    const change = { type: "MODIFIED", verb, kind: kindAt(at) } as const;
    return commitWithOperation(change, at, entity, { commit, version }).metadata.operation ?? "";
  };

  const answer = (request: SeenRequest): Response => {
    const { method, query } = request;
    const [path, verb] = request.path.split(":") as [string, string | undefined];
    if (request.headers.get("authorization") !== `Bearer ${key}`) return problem(401, "auth.unauthenticated", "no valid key");
    if (path === "/v1/whoami")
      return json(200, { user: "admin", credential: "key", grants: [{ project: "system", role: "owner" }] });
    if (path === "/v1/tokens") return json(200, { token: "signed", expiresAt: "2026-01-01T00:05:00Z" });
    if (path.endsWith("/permissions")) {
      return json(200, {
        project: "default",
        items: [
          { operation: "x", kind: "Cluster", verb: "create", allowed: true },
          { operation: "y", kind: "User", verb: "create" },
        ],
      });
    }
    const special =
      answerStates(states, request) ??
      answerRuns(runs, request) ??
      answerDrifts(drifts, request, openOperation) ??
      answerSimulations(simulations, request);
    if (special !== undefined) return special;
    if (/\/(events|auditrecords)$/.test(path)) return json(200, { items: [] });
    if (path.endsWith("/timeline")) return json(200, { items: timelines.get(path.slice(0, -"/timeline".length)) ?? [] });
    if (path.endsWith("/logs")) return json(200, { items: readLog(taskLogs.get(path.slice(0, -"/logs".length)) ?? [], query) });
    if (path.endsWith("/jointokens")) return json(200, { joinToken: "cwj_test", expiresAt: "2026-01-01T01:00:00Z" });
    if (path.endsWith("/watch")) return openWatch(path.slice(0, -"/watch".length), request);
    const dryRun = query.get("dryRun") === "true";
    if (isCollection(path)) {
      if (method === "POST") {
        const entity = request.body as AnyEntity;
        const repeated = kept.get(request.headers.get("idempotency-key") ?? "");
        if (repeated !== undefined) return json(201, repeated);
        const kind = kindAt(`${path}/new`);
        const at = `${path}/${entity.metadata?.name}`;
        if (entities.has(at)) return problem(409, "store.already_exists", `${at} exists`);
        const made = createEntity(entity, at, version);
        if (dryRun) return json(201, made);
        const stored = kind.provisioned
          ? commitWithOperation({ type: "ADDED", verb: "create", kind }, at, made, { commit, version })
          : commit("ADDED", at, made);
        kept.set(request.headers.get("idempotency-key") ?? "", stored);
        if (kind.provisioned) return accepted(stored);
        return json(201, path === "/v1/apikeys" ? { ...stored, status: { ...stored.status, key: "cw_new" } } : stored);
      }
      if (query.get("watch") === "true") return openWatch(path, request);
      const all = [...entities]
        .filter(([at]) => isBelow(at, path) && at.lastIndexOf("/") === path.length)
        .map(([, entity]) => entity)
        .filter((entity) => passes(entity, query.get("filter")));
      return page(all, query, { resourceVersion: String(version) });
    }
    const at = resolve(path);
    const entity = entities.get(at);
    if (verb === "preview" && (entity !== undefined || query.get("allowMissing") === "true")) {
      const place = `${at.split("/").slice(0, 4).join("/")}/operations/op-preview`;
      return json(
        202,
        commit("ADDED", place, createPreview(createEntity({ metadata: { name: "op-preview" } }, place, version), findings)),
      );
    }
    if (verb === "preflight") {
      const place = `${at.split("/").slice(0, 4).join("/")}/operations/op-preflight`;
      const opened = createEntity({ metadata: { name: "op-preflight" } }, place, version);
      const ended = { ...opened, spec: { verb }, status: { state: "DONE", findings } } as Stored<AnyEntity>;
      return json(202, commit("ADDED", place, ended));
    }
    if (entity === undefined) {
      if (method === "PUT" && query.get("allowMissing") === "true")
        return json(200, commit("ADDED", path, createEntity(request.body as AnyEntity, path, version)));
      return problem(404, "store.not_found", `${path} does not exist`);
    }
    if (verb === "kubeconfig") return answerKubeconfig(entity, request.body);
    if (verb === "upgrade") {
      const { version: wanted = "" } = request.body as { version?: string };
      return json(200, commit("MODIFIED", at, { ...entity, spec: { ...entity.spec, version: wanted } }));
    }
    if (verb === "rotate") return json(200, { ...commit("MODIFIED", at, entity), status: { key: "cw_rotated" } });
    if (verb === "cancel" || verb === "retry") {
      const acted = actOnOperation(entity, verb);
      return acted === undefined
        ? problem(
            409,
            verb === "cancel" ? "api.operation_ended" : "api.not_retryable",
            `the operation is not in a state for ${verb}`,
          )
        : json(202, commit("MODIFIED", at, acted));
    }
    if (verb !== undefined)
      return json(200, commit("MODIFIED", at, { ...entity, metadata: { ...entity.metadata, paused: verb === "pause" } }));
    if (method === "GET") return json(200, entity);
    const asked = method === "DELETE" ? query.get("resourceVersion") : (request.body as AnyEntity).metadata?.resourceVersion;
    if (asked && asked !== entity.metadata.resourceVersion)
      return problem(409, "store.stale_version", "it was changed in the meantime");
    const kind = kindAt(at);
    if (method === "DELETE") {
      if (entity.metadata.deletionProtection === true) return problem(409, "api.protected", `${at} is protected`);
      if (query.get("preview") === "true") {
        const place = `${at.split("/").slice(0, 4).join("/")}/operations/op-preview`;
        const opened = createEntity({ metadata: { name: "op-preview" } }, place, version);
        const isKept = query.get("volumes") === "retain";
        const preview = [
          { part: "infrastructure", name: "aws_eks_cluster dev", action: "delete", message: "created by the platform" },
          { part: "load-balancers", name: "Service app/web", action: "delete", message: "address web.elb.test" },
          { part: "volumes", name: "vol-1", action: isKept ? "keep" : "delete", message: "claim app/data" },
        ];
        commit("ADDED", place, {
          ...opened,
          spec: { verb: "preview" },
          status: { state: "DONE", preview, findings },
        } as Stored<AnyEntity>);
        const response = json(202, entity);
        response.headers.set("operation-location", place);
        return response;
      }
      if (dryRun) return json(200, entity);
      // An entity without infrastructure is deleted immediately.
      if (!kind.provisioned || entity.status?.phase === "PENDING") return json(200, commit("DELETED", at, entity));
      const metadata = { ...entity.metadata, deletedAt: "2026-01-01T00:00:00Z" };
      const change = { type: "MODIFIED", verb: "delete", kind, force: query.get("force") === "true" } as const;
      const deleted = { ...entity, metadata, status: { ...entity.status, phase: "DELETING" } };
      return accepted(commitWithOperation(change, at, deleted, { commit, version }));
    }
    const body = request.body as AnyEntity;
    const next = {
      ...entity,
      metadata: { ...entity.metadata, ...pickWritable(body.metadata) },
      spec: method === "PATCH" ? { ...entity.spec, ...body.spec } : (body.spec ?? {}),
    };
    const same = JSON.stringify([next.spec, next.metadata]) === JSON.stringify([entity.spec, entity.metadata]);
    if (same || dryRun) {
      return json(200, { ...next, metadata: same ? entity.metadata : { ...next.metadata, resourceVersion: "dry" } });
    }
    const sent = (one: Stored<AnyEntity>): string =>
      JSON.stringify([one.spec, kind.labelsAreTags === true ? (one.metadata.labels ?? {}) : {}]);
    if (!kind.provisioned || sent(next) === sent(entity)) {
      return json(200, commit("MODIFIED", at, next));
    }
    const changed = { ...next, metadata: { ...next.metadata, generation: (entity.metadata.generation ?? 1) + 1 } };
    return accepted(commitWithOperation({ type: "MODIFIED", verb: "update", kind }, at, changed, { commit, version }));
  };

  const key = "cw_test_key";
  const server: FakeServer = {
    key,
    requests,
    warn: [],
    find: (path) => entities.get(path),
    setStatus: (path, status) => {
      const entity = entities.get(path);
      if (entity === undefined) throw new Error(`the fake server has no ${path}`);
      commit("MODIFIED", path, { ...entity, status });
    },
    put: (path, entity) => {
      const before = entities.get(path);
      const made = createEntity(entity, path, version);
      const { uid } = before?.metadata ?? made.metadata;
      const status = entity.status ?? made.status ?? {};
      commit(before === undefined ? "ADDED" : "MODIFIED", path, { ...made, metadata: { ...made.metadata, uid }, status });
    },
    remove: (path) => {
      const entity = entities.get(path);
      if (entity === undefined) throw new Error(`the fake server has no ${path}`);
      commit("DELETED", path, entity);
    },
    setLog: (path, lines) => void taskLogs.set(path, lines),
    setState: (path, state) => void states.set(path, state),
    setRun: (path, run) => void runs.set(path, run),
    setDrift: (path, drift) => void drifts.set(path, drift),
    setSimulation: (path, simulation) => void simulations.set(path, simulation),
    setTimeline: (path, entries) => void timelines.set(path, entries),
    setFindings: (found) => void (findings = found),
    answerOnce: (method, path, make) => void planned.push({ method, path, answer: make }),
    breakWatches: (code) => {
      for (const { stream } of watchers) {
        if (code !== undefined)
          stream.enqueue(encode(`event: ERROR\ndata: ${JSON.stringify({ code, status: 410, detail: "start again" })}\n\n`));
        stream.close();
      }
      watchers.clear();
    },
    fetch: async (input, init) => {
      init?.signal?.throwIfAborted();
      const request = new Request(input, init);
      const url = new URL(request.url);
      const text = await request.text();
      const seen = {
        method: request.method,
        path: decodeURIComponent(url.pathname),
        query: url.searchParams,
        headers: request.headers,
        // Uses the caller's own signal. The request's signal refers to it only weakly and stops working once the request is
        // garbage-collected.
        signal: init?.signal ?? request.signal,
        body: text === "" ? undefined : (JSON.parse(text) as unknown),
      };
      requests.push(seen);
      const index = planned.findIndex((plan) => plan.method === seen.method && plan.path.test(seen.path));
      const given = index >= 0 ? planned.splice(index, 1)[0]?.answer() : answer(seen);
      if (given instanceof Error) throw given;
      const response = given as Response;
      if (seen.method !== "GET" && server.warn.length > 0)
        response.headers.set("cloudwright-warnings", JSON.stringify(server.warn).replaceAll("ä", "\\u00e4"));
      return response;
    },
  };
  return server;
}

/** Returns the metadata fields that a client may write. */
function pickWritable(metadata: AnyEntity["metadata"] = {}): object {
  const { labels, annotations, deletionProtection, deletionPolicy } = metadata;
  const given = Object.entries({ labels, annotations, deletionProtection, deletionPolicy }).filter(
    ([, value]) => value !== undefined,
  );
  return Object.fromEntries(given);
}

/** Returns the log lines that follow the position in the `after` query parameter. A position has the form `attempt.seq`. */
function readLog(lines: readonly TaskLogLineJson[], query: URLSearchParams): readonly TaskLogLineJson[] {
  const [afterAttempt = -1, afterSeq = -1] = (query.get("after") ?? "").split(".").filter(Boolean).map(Number);
  const isAfter = ({ attempt = 0, seq = 0 }: TaskLogLineJson): boolean =>
    attempt > afterAttempt || (attempt === afterAttempt && seq > afterSeq);
  return lines.filter(isAfter).slice(0, Number(query.get("pageSize") ?? 1000));
}

/** Creates a preview operation that has already ended. */
function createPreview(operation: Stored<AnyEntity>, findings: readonly FindingJson[]): Stored<AnyEntity> {
  const preview = [{ part: "nodes", name: "default", action: "update", message: "2 -> 3 nodes" }];
  return { ...operation, spec: { verb: "preview" }, status: { state: "DONE", preview, findings } } as Stored<AnyEntity>;
}
