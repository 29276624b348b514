import { payloadVersion, type EntityJson, type JsonObject } from "@cloudwright/contract";
import { createLogger, createUid, systemClock } from "@cloudwright/platform";
import {
  claimDue,
  createPool,
  createVersions,
  insertEntity,
  updateEntitiesIn,
  type Connection,
  type DueEntity,
  type EntityInsert,
  type OperationInsert,
  type Pool,
  type Signal,
} from "@cloudwright/store";
import { createTestDatabase } from "@cloudwright/store/testing";
import { cancelTasks, finishTask, leaseTasks, type AgentAbility, type LeasedTask, type TaskOutcome } from "@cloudwright/tasks";
import { reconcileEntities, type ReconcileDeps } from "../engine/reconcile-entity.ts";
import type { Rules } from "../engine/step.ts";
import { lifecycles } from "../lifecycles.ts";
import { createTestPlans, type TestPlans } from "./test-plans.ts";

/** Simulates an agent's work: returns a task's outcome, or undefined to leave the task leased. */
export type Handler = (task: LeasedTask) => TaskOutcome | undefined | Promise<TaskOutcome | undefined>;

/** A reconciler with its own database that runs one pass at a time. Its functions simulate users, agents and time. */
export interface TestPlatform {
  readonly connection: Connection;
  readonly pool: Pool;
  readonly rules: { -readonly [Key in keyof Rules]: Rules[Key] };
  agents: (AgentAbility & { readonly serves: readonly string[] | undefined })[];
  create(
    kind: string,
    name: string,
    options?: { parent?: string; spec?: JsonObject; metadata?: Partial<EntityJson["metadata"]> },
  ): Promise<string>;
  /** Changes the spec as the API does. */
  update(uid: string, spec: JsonObject): Promise<void>;
  /** Requests a preview of a change, of a deletion, or of a new cluster that the entity would own. Returns the operation's name. */
  preview(uid: string, candidate: JsonObject, newcomer?: string, known?: { deletion: true }): Promise<string>;
  /** Requests a preflight of a new entity that this one would own. Returns the operation's name. */
  preflight(uid: string, kind: string, name: string, candidate: JsonObject, known?: JsonObject[]): Promise<string>;
  /** Requests a drift check. Returns the operation's name. */
  check(uid: string): Promise<string>;
  /** Requests that one resource be adopted or forgotten. Returns the operation's name. */
  repair(uid: string, verb: "adopt" | "forget", repair: { address: string; id: string; dryRun: boolean }): Promise<string>;
  /** Requests the deletion of an entity and everything it owns. */
  remove(uid: string, options?: { force?: boolean }): Promise<void>;
  pause(uid: string, paused: boolean): Promise<void>;
  cancel(uid: string): Promise<void>;
  retry(uid: string): Promise<void>;
  /** Runs passes until nothing is due. */
  settle(): Promise<void>;
  /** Leases all ready tasks and completes them. Returns the leased tasks. */
  work(handler?: Handler): Promise<LeasedTask[]>;
  end(task: LeasedTask, outcome: TaskOutcome): Promise<void>;
  /** Runs passes and completes tasks until nothing is left to do. Returns the types of the completed tasks in order of execution. */
  run(handler?: Handler): Promise<string[]>;
  readonly plans: TestPlans;
  /** Makes all entities due. */
  wakeAll(): Promise<void>;
  find(uid: string): Promise<EntityJson | undefined>;
  get(uid: string): Promise<EntityJson>;
  /** Returns the operation with the given name, or the newest operation of the entity with the given uid. */
  operation(ref: string): Promise<EntityJson>;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export const done = (result: JsonObject = {}): TaskOutcome => ({ state: "done", result });
export const failed = (message: string, left: string[] = []): TaskOutcome => ({
  state: "failed",
  fault: { code: "test.broken", message, retry: "never" },
  result: { left },
});

/** Default outputs of runs, keyed by task type. */
export const outputs: Readonly<Record<string, JsonObject>> = {
  "network.apply": { network_id: "vpc-1", private_subnet_ids: ["subnet-1"] },
  "cluster.apply": { endpoint: "https://cluster.test", version: "1.34.1", ready_nodes: 3 },
  "storage.apply": { resource_id: "bucket-1" },
};

export const succeed: Handler = ({ type }) => done(outputs[type] ?? {});

export async function openTestPlatform(
  special: Partial<Pick<ReconcileDeps, "lifecycles" | "kinds" | "hasLinks">> = {},
): Promise<TestPlatform> {
  const database = await createTestDatabase();
  const pool = createPool(database.connection);
  const versions = createVersions(pool);
  const clock = systemClock;
  const quiet: Signal = {
    version: () => 0,
    notify: () => undefined,
    subscribe: () => () => undefined,
    close: () => Promise.resolve(),
  };
  const rules: TestPlatform["rules"] = { findDenials: () => [], driftMs: {}, resyncMs: {}, taskAttempts: 3, parallelism: 10 };
  const platform = { agents: [] as TestPlatform["agents"] };
  const deps: ReconcileDeps = {
    pool,
    versions,
    clock,
    log: createLogger({ level: "silent", name: "test" }),
    lifecycles,
    kinds: Object.keys(lifecycles),
    rules,
    taskSignal: quiet,
    wakes: quiet,
    feed: { poke: () => undefined },
    listAgents: () => Promise.resolve(platform.agents),
    hasLinks: false,
    ...special,
  };
  const noTrace = { changes: [], events: [], audits: [] };
  const agentUid = createUid(clock.now());

  const read = async (uid: string): Promise<(EntityJson & { version: string }) | undefined> => {
    const { rows } = await pool.query<{ object: EntityJson; version: string }>({
      text: "select object, resource_version as version from entity where uid = $1",
      values: [uid],
    });
    return rows[0] === undefined ? undefined : { ...rows[0].object, version: rows[0].version };
  };
  const get = async (uid: string): Promise<EntityJson & { version: string }> => {
    const entity = await read(uid);
    if (entity === undefined) throw new Error(`${uid} is gone`);
    return entity;
  };
  const insert = async (
    kind: string,
    name: string,
    options: { parentUid: string | null; entity: EntityJson; work?: OperationInsert },
  ): Promise<void> => {
    const { entity, parentUid, work } = options;
    const row: EntityInsert = {
      uid: entity.metadata.uid ?? "",
      kind,
      project: entity.metadata.project ?? "",
      namingScope: kind === "NodePool" ? (parentUid ?? "") : "",
      name,
      parentUid,
      subjectUid: null,
      environmentUid: null,
      environment: "",
      labels: {},
      resourceVersion: entity.metadata.resourceVersion ?? "",
      at: entity.metadata.createdAt ?? "",
      object: JSON.stringify(entity),
      sealed: null,
    };
    await insertEntity(pool, row, noTrace, work === undefined ? undefined : { operations: [work], wakes: [row.uid] });
  };
  const renderOperation = async (
    verb: string,
    uid: string,
    kind: string,
    generation: number,
    force = false,
    candidate?: JsonObject,
    candidateName?: string,
    known: { candidateKind?: string; findings?: JsonObject[]; repair?: JsonObject; deletion?: boolean } = {},
  ): Promise<OperationInsert> => {
    const { findings, ...beside } = known;
    const own = createUid(clock.now());
    const at = new Date(clock.now()).toISOString();
    const resourceVersion = await versions.next();
    const name = `op-${own.slice(-12)}`;
    const object = JSON.stringify({
      metadata: { project: "default", name, uid: own, annotations: {}, resourceVersion, createdAt: at },
      spec: {
        verb,
        entityKind: kind,
        entityUid: uid,
        entityName: "",
        entityGeneration: generation,
        actor: "tester",
        force,
        retries: 0,
        cancelReason: "",
        allow: [],
        ...(candidate === undefined ? {} : { candidate }),
        ...(candidateName === undefined ? {} : { candidateName }),
        ...beside,
      },
      status: {
        state: "WAITING",
        message: "accepted",
        progressPercent: 0,
        steps: [],
        code: "",
        abandoned: [],
        left: [],
        ...(findings === undefined ? {} : { findings }),
      },
    });
    return { uid: own, project: "default", name, environment: "", resourceVersion, at, object };
  };
  /** Writes an entity as the API does. Retries if the entity was changed concurrently. */
  const change = async (
    uid: string,
    edit: (entity: EntityJson) => EntityJson,
    operation?: OperationInsert,
    isBeside = false,
  ): Promise<void> => {
    for (;;) {
      const entity = await get(uid);
      const { version, ...object } = entity;
      const resourceVersion = await versions.next();
      const next = edit(object);
      const metadata = {
        ...next.metadata,
        resourceVersion,
        ...(operation === undefined || isBeside ? {} : { operation: operation.name }),
      };
      const update = {
        uid,
        oldVersion: version,
        resourceVersion,
        at: new Date(clock.now()).toISOString(),
        deletedAt: metadata.deletedAt ?? null,
        object: JSON.stringify({ ...next, metadata }),
      };
      const work = { operations: operation === undefined ? [] : [operation], wakes: [uid] };
      if (await pool.transaction((tx) => updateEntitiesIn(tx, [update], noTrace, work))) return;
    }
  };
  const findOperation = async (ref: string): Promise<EntityJson & { version: string; uid: string }> => {
    const entity = ref.startsWith("op-") ? undefined : await get(ref);
    const { rows } = await pool.query<{ object: EntityJson; version: string; uid: string }>({
      text: "select object, resource_version as version, uid from entity where kind = 'Operation' and name = $1",
      values: [entity?.metadata.operation ?? ref],
    });
    const row = rows[0];
    if (row === undefined) throw new Error(`no operation ${ref}`);
    return { ...row.object, version: row.version, uid: row.uid };
  };
  const listBelow = async (uid: string): Promise<string[]> => {
    const { rows } = await pool.query<{ uid: string }>({
      text: `with recursive tree as (select uid from entity where uid = $1 union all select e.uid from entity e join tree t on e.parent_uid = t.uid)
        select uid from tree`,
      values: [uid],
    });
    return rows.map((row) => row.uid);
  };
  const kindOf = async (uid: string): Promise<string> =>
    (await pool.query<{ kind: string }>({ text: "select kind from entity where uid = $1", values: [uid] })).rows[0]?.kind ?? "";
  const end = async (task: LeasedTask, outcome: TaskOutcome): Promise<void> => {
    await finishTask({ database: pool, random: () => 0 }, { uid: task.uid, leaseToken: task.leaseToken, outcome });
  };
  const settle = async (): Promise<void> => {
    for (;;) {
      const due: DueEntity[] = await claimDue(pool, 100, 60);
      if (due.length === 0) return;
      const [broken] = await reconcileEntities(deps, due);
      if (broken !== undefined) throw broken.error;
    }
  };
  const work: TestPlatform["work"] = async (handler = succeed) => {
    const tasks = await leaseTasks(pool, {
      agentUid,
      labels: { cloud: "*", account: "*", region: "*" },
      types: "*",
      payloadVersions: { min: 1, max: payloadVersion },
      lanes: { long: 100, short: 100 },
      projects: undefined,
      leaseSeconds: 60,
      projectQuota: undefined,
      accountBudget: undefined,
    });
    for (const task of tasks) {
      const outcome = await handler(task);
      if (outcome !== undefined) await end(task, outcome);
    }
    return tasks;
  };

  const at = new Date(clock.now()).toISOString();
  const project = createUid(clock.now());
  for (const name of ["system", "default"]) {
    const uid = name === "default" ? project : createUid(clock.now());
    const metadata = { project: "", name, uid, resourceVersion: await versions.next(), createdAt: at, paused: false };
    await insert("Project", name, { parentUid: null, entity: { metadata, spec: {}, status: {} } });
  }

  type Known = Parameters<typeof renderOperation>[7];
  /** Opens an operation that runs independently of the entity's newest operation. Returns the name of the new operation. */
  const openBeside = async (verb: string, uid: string, known: Known = {}, spec?: JsonObject, name?: string): Promise<string> => {
    const operation = await renderOperation(verb, uid, await kindOf(uid), 0, false, spec, name, known);
    await change(uid, (entity) => entity, operation, true);
    return operation.name;
  };
  const opened: TestPlatform = {
    connection: database.connection,
    pool,
    rules,
    get agents() {
      return platform.agents;
    },
    set agents(agents) {
      platform.agents = agents;
    },
    async create(kind, name, options = {}) {
      const uid = createUid(clock.now());
      const operation = await renderOperation("create", uid, kind, 1);
      const metadata = {
        project: "default",
        name,
        uid,
        labels: {},
        annotations: {},
        generation: 1,
        resourceVersion: await versions.next(),
        createdAt: at,
        paused: false,
        operation: operation.name,
        ...options.metadata,
      };
      const status = { phase: "PENDING", conditions: [], observedGeneration: 0, message: "", progressPercent: 0 };
      const spec = options.spec ?? (kind === "Account" ? { aws: {} } : kind === "Network" ? { region: "eu-west-1" } : {});
      await insert(kind, name, { parentUid: options.parent ?? project, entity: { metadata, spec, status }, work: operation });
      return uid;
    },
    async update(uid, spec) {
      const { metadata } = await get(uid);
      const generation = (metadata.generation ?? 0) + 1;
      const operation = await renderOperation("update", uid, await kindOf(uid), generation);
      await change(uid, (entity) => ({ ...entity, metadata: { ...entity.metadata, generation }, spec }), operation);
    },
    preview: (uid, candidate, newcomer, known) => openBeside("preview", uid, known, candidate, newcomer),
    preflight: (uid, candidateKind, name, candidate, findings = []) =>
      openBeside("preflight", uid, { candidateKind, findings }, candidate, name),
    check: (uid) => openBeside("check", uid),
    repair: (uid, verb, repair) => openBeside(verb, uid, { repair }),
    async remove(uid, options = {}) {
      for (const member of await listBelow(uid)) {
        const { metadata } = await get(member);
        if (metadata.deletedAt !== undefined && options.force !== true) continue;
        const operation = await renderOperation(
          "delete",
          member,
          await kindOf(member),
          metadata.generation ?? 0,
          options.force === true,
        );
        const deletedAt = new Date(clock.now()).toISOString();
        await change(
          member,
          (entity) => ({
            ...entity,
            metadata: { ...entity.metadata, deletedAt },
            status: { ...entity.status, phase: "DELETING" },
          }),
          operation,
        );
      }
    },
    pause: (uid, paused) => change(uid, (entity) => ({ ...entity, metadata: { ...entity.metadata, paused } })),
    async cancel(uid) {
      const operation = await findOperation(uid);
      await change(operation.uid, (entity) => ({ ...entity, spec: { ...entity.spec, cancelReason: "cancelled by tester" } }));
      await cancelTasks(pool, { operationUids: [operation.uid] }, { reason: "cancelled by tester", running: "stop" });
      await pool.query({ text: "select wake_entities(array[$1::uuid], now())", values: [uid] });
    },
    async retry(uid) {
      const operation = await findOperation(uid);
      await change(operation.uid, (entity) => ({
        ...entity,
        spec: { ...entity.spec, retries: Number(entity.spec["retries"]) + 1, cancelReason: "" },
        status: { ...entity.status, state: "WAITING" },
      }));
      await pool.query({ text: "select wake_entities(array[$1::uuid], now())", values: [uid] });
    },
    plans: createTestPlans(pool),
    settle,
    work,
    end,
    async run(handler) {
      const types: string[] = [];
      for (;;) {
        await settle();
        const tasks = await work(handler);
        if (tasks.length === 0) return types;
        types.push(...tasks.map(({ type }) => type));
      }
    },
    wakeAll: async () => void (await pool.query({ text: "update due set due_at = now(), wakes = wakes + 1", values: [] })),
    find: read,
    get,
    operation: findOperation,
    query: async <Row extends object>(text: string, values: unknown[] = []) => (await pool.query({ text, values })).rows as Row[],
    async close() {
      await pool.close();
      await database.drop();
    },
  };
  return opened;
}
