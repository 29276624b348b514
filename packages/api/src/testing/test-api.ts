import type { Json, Role } from "@cloudwright/contract";
import { createLogger, systemClock, type Clock, type Logger } from "@cloudwright/platform";
import { createPool, createVersions, createWakeSignal, startChangeFeed, type Pool } from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { createTaskSignal } from "@cloudwright/tasks";
import type { ApiDeps } from "../deps.ts";
import { createDocumentParser } from "../documents/parse-documents.ts";
import type { BodyLimits } from "../http/bodies/body-budget.ts";
import type { UploadLimits } from "../documents/upload-turns.ts";
import { foundPlatform } from "../found-platform.ts";
import { createTestKeyRing } from "../identity/testing.ts";
import { createTokens } from "../identity/tokens.ts";
import { openJudge, type CheckOverrides, type Judge } from "../entities/judge.ts";
import type { Served } from "../http/served.ts";
import { createApiServer } from "../http/server.ts";
import type { SimulatedKubernetes } from "../simulator/simulated-kubernetes.ts";
import { readEventStream, type EventStream } from "./event-stream.ts";
import { createTestKubernetes } from "./test-kubernetes.ts";
import { createHttpCaller, type TestAnswer, type TestRequest } from "./http-call.ts";

export interface Person {
  readonly name: string;
  readonly uid: string;
  readonly key: string;
}

/** A complete server with its own database, in the state after its first start. */
export interface TestApi {
  readonly url: string;
  readonly deps: ApiDeps;
  readonly pool: Pool;
  readonly database: TestDatabase;
  /** The API key of the first user, who has the owner role on the whole platform. */
  readonly adminKey: string;
  send(request: TestRequest): Promise<TestAnswer>;
  /** Sends a request. `key` defaults to the first user's key. */
  call(method: string, path: string, options?: Pick<TestRequest, "key" | "body" | "headers">): Promise<TestAnswer>;
  /** Like `call`, but throws unless the request succeeds. */
  must(method: string, path: string, options?: Pick<TestRequest, "key" | "body" | "headers">): Promise<TestAnswer>;
  watch(path: string, options?: Pick<TestRequest, "key" | "headers">): Promise<EventStream>;
  createProject(name: string): Promise<string>;
  /** Creates a user with an API key and the given roles. */
  createPerson(name: string, roles?: readonly { project: string; role: Role; environment?: string }[]): Promise<Person>;
  /** Counts the rows of all tables except the audit log. Tests compare counts to check that nothing was written. */
  countStored(): Promise<Record<string, string>>;
  /** Starts another replica with the same database. Closing this server also closes the replica. */
  startReplica(): Promise<Replica>;
  close(): Promise<void>;
}

type Replica = Pick<TestApi, "url" | "deps" | "send" | "watch">;

interface TestApiOptions {
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly requestsPerSecond?: number;
  readonly served?: Served;
  readonly maxStateBytes?: number;
  readonly approvalTtlMs?: number;
  readonly uploads?: Partial<UploadLimits>;
  readonly bodies?: BodyLimits;
  /** Default: a judge that allows everything. */
  readonly judge?: Judge;
  readonly checkOverrides?: CheckOverrides;
  readonly catalogue?: NonNullable<ApiDeps["catalogue"]>;
  readonly simulatedKubernetes?: SimulatedKubernetes;
  readonly accessWaitMs?: number;
}

const host = "127.0.0.1";
const manyRequests = 1_000_000;

/** Starts a server on a free port. The caller must close it. */
export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const database = await createTestDatabase();
  const keyRing = createTestKeyRing();
  const closers: (() => Promise<void>)[] = [() => database.drop()];

  const startReplica = async (): Promise<Replica & { pool: Pool }> => {
    const { clock = systemClock, log = createLogger({ level: "silent", name: "test" }) } = options;
    const pool = createPool(database.connection);
    const heartbeatPool = createPool(database.connection, { size: 2 });
    const feed = await startChangeFeed({ pool, clock, log });
    const tokens = createTokens({ pool, heartbeatPool, keyRing, clock, log });
    const wakes = createWakeSignal({ pool, log });
    const taskSignal = createTaskSignal({ pool, log });
    const served = options.served ?? new Set(["users", "agents"] as const);
    const documents = createDocumentParser();
    const work = { leaseSeconds: 600, projectQuota: undefined, accountBudget: undefined };
    const deps: ApiDeps = {
      pool,
      heartbeatPool,
      feed,
      versions: createVersions(pool),
      keyRing,
      clock,
      log,
      tokens,
      wakes,
      taskSignal,
      work,
      served,
      documents,
      judge: options.judge ?? openJudge,
      checkOverrides: options.checkOverrides ?? (() => []),
      ...(options.catalogue === undefined ? {} : { catalogue: options.catalogue }),
      simulatedKubernetes: options.simulatedKubernetes ?? createTestKubernetes(),
      ...(options.accessWaitMs === undefined ? {} : { accessWaitMs: options.accessWaitMs }),
    };
    const server = await createApiServer(deps, {
      version: "0.0.0-test",
      requestsPerSecond: options.requestsPerSecond ?? manyRequests,
      maxStateBytes: options.maxStateBytes ?? 64 * 1024 * 1024,
      approvalTtlMs: options.approvalTtlMs ?? 3_600_000,
      uploads: options.uploads,
      bodies: options.bodies,
    });
    const { port } = await server.listen({ host, port: 0 });
    const http = createHttpCaller({ host, port });
    closers.push(async () => {
      await server.close();
      await documents.close();
      http.close();
      await wakes.close();
      await taskSignal.close();
      await feed.close();
      await heartbeatPool.close();
      await pool.close();
    });
    return {
      url: `http://${host}:${port}`,
      deps,
      pool,
      send: (request) => http.send(request),
      watch: async (path, given = {}) => readEventStream(await http.open({ method: "GET", path, key: adminKey, ...given })),
    };
  };

  let adminKey = "";
  const first = await startReplica();
  adminKey = (await foundPlatform(first.deps, { renew: false })) ?? "";
  const call: TestApi["call"] = (method, path, given = {}) => first.send({ key: adminKey, ...given, method, path });
  const must: TestApi["must"] = async (method, path, given) => {
    const answer = await call(method, path, given);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const create = async (path: string, body: Json): Promise<TestAnswer["body"]> => (await must("POST", path, { body })).body;

  return {
    ...first,
    database,
    adminKey,
    call,
    must,
    startReplica,
    createProject: async (name) => (await create("/v1/projects", { metadata: { name } })).metadata.uid ?? "",
    async createPerson(name, roles = []) {
      const { metadata } = await create("/v1/users", { metadata: { name } });
      for (const [index, { project, role, environment = "" }] of roles.entries()) {
        const body = { metadata: { name: `${name}-${index}`, environment }, spec: { user: name, role } };
        await create(`/v1/projects/${project}/rolebindings`, body);
      }
      const key = await create("/v1/apikeys", { metadata: { name: `${name}-key` }, spec: { user: name } });
      return { name, uid: metadata.uid ?? "", key: key.status["key"] as string };
    },
    countStored: () => countStored(first.pool),
    async close() {
      for (const close of closers.toReversed()) await close();
    },
  };
}

async function countStored(pool: Pool): Promise<Record<string, string>> {
  const tables = [
    "entity",
    "change",
    "event",
    "api_key",
    "session",
    "idempotency",
    "used_token",
    "state_version",
    "plan",
    "drift",
    "simulated_record",
    "simulated_fault",
    "simulated_cluster",
  ];
  const counts = tables.map((table) => `(select count(*) from ${table}) as ${table}`);
  const text = `select ${counts.join(", ")}, (select sum(resource_version) from entity) as versions`;
  const { rows } = await pool.query<Record<string, string>>({ text, values: [] });
  return rows[0] ?? {};
}
