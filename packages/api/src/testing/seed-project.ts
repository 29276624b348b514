import { getKind, kinds, listLinks, methods, type JsonObject, type Kind } from "@cloudwright/contract";
import { entityExamples, localExamples } from "@cloudwright/contract/openapi";
import { createUid } from "@cloudwright/platform";
import { findEntity, insertEntity, writeStateVersion } from "@cloudwright/store";
import { enqueueTasks } from "@cloudwright/tasks";
import { md5Of, sealContent } from "../states/state-content.ts";
import type { TestApi } from "./test-api.ts";
import { seedDrift, seedRun } from "./seed-run.ts";
import { renderTfState } from "./state-run.ts";

/** An entity created for a test. */
export interface Seed {
  readonly name: string;
  readonly uid: string;
}

/** The seeded entities, keyed by kind: one of every kind in a project, one user and one state backend. */
export type Seeds = ReadonlyMap<string, Seed>;

/** Creates one entity of every kind in a project, so that tests can call every method on an existing entity. */
export async function seedProject(api: TestApi, project: string, options: { suffix: string; user: Seed }): Promise<Seeds> {
  const seeds = new Map<string, Seed>([["User", options.user]]);
  const backend = `backend-${project}-${options.suffix}`;
  seeds.set("Backend", { name: backend, uid: await create(api, "/v1/backends", renderEntity("Backend", backend, seeds)) });
  const owned: readonly Kind[] = kinds.filter(({ scope }) => scope === "project");
  for (const { kind } of owned) {
    if (kind === "Task") continue;
    const name = `${kind.toLowerCase()}-${options.suffix}`;
    if (localKinds.has(kind) && !seeds.has(localKey("Network"))) await seedLocal(api, project, options.suffix, seeds);
    const uid = isCreatable(kind)
      ? await create(api, collectionPath(kind, project, seeds), renderEntity(kind, name, seeds))
      : await insertRow(api, kind, project, name);
    seeds.set(kind, { name, uid });
  }
  const task = await enqueueTask(api, project);
  for (const kind of ["Task", "TaskLog"]) seeds.set(kind, { name: task, uid: task });
  seeds.set("Timeline", getSeed(seeds, "Operation"));
  const { uid } = getSeed(seeds, "Network");
  await writeState(api, uid);
  for (const kind of ["State", "StateVersion", "StateContent", "StateDiff", "StateResource"]) seeds.set(kind, { name: uid, uid });
  // The run belongs to an entity that no longer exists, because a run for a seeded entity would delay that entity's removal.
  const gone = { project, entityKind: "Network", entityName: "gone" };
  const run = await seedRun(api, createUid(api.deps.clock.now()), { hasPlan: false, task: gone });
  for (const kind of ["Run", "RunPlan"]) seeds.set(kind, { name: run, uid: run });
  const drift = await seedDrift(api, uid);
  seeds.set("Drift", { name: drift, uid: drift });
  for (const kind of simulatedKinds) seeds.set(kind, getSeed(seeds, "Account"));
  return seeds;
}

/** Kinds that only the user's own machines have. */
const localKinds: ReadonlySet<string> = new Set(["SecurityGroup", "Volume", "VolumeSnapshot", "Inventory"]);

/** Returns the key of a seed that is in an account of the user's own machines. */
export function localKey(kind: string): string {
  return `local ${kind}`;
}

/** Creates an account of the user's own machines with a network and an instance. */
async function seedLocal(api: TestApi, project: string, suffix: string, seeds: Map<string, Seed>): Promise<void> {
  for (const [kind, { spec, metadata }] of [
    ...localExamples,
    ["Instance", { metadata: { name: "machine" }, spec: {} }] as const,
  ]) {
    const { name: base } = metadata as { name: string };
    const { parent, collection } = getKind(kind);
    const owner = parent?.field === undefined ? {} : { [parent.field]: getSeed(seeds, localKey(parent.kind)).name };
    const name = `${base}-${suffix}`;
    const body = { metadata: { name }, spec: { ...(spec as JsonObject), ...owner } };
    seeds.set(localKey(kind), { name, uid: await create(api, `/v1/projects/${project}/${collection}`, body) });
  }
}

/** Kinds that belong to an account's simulated cloud and are addressed by the account's name. */
export const simulatedKinds = ["SimulatedCloud", "SimulatedRecord", "SimulatedFault"];

export async function putSimulatedRecord({ pool }: Pick<TestApi, "pool">, accountUid: string): Promise<void> {
  const text = `insert into simulated_record (account_uid, type, id, attributes) values ($1, 'thing', 'one', '{"size":1}') on conflict do nothing`;
  await pool.query({ text, values: [accountUid] });
}

/** Renders an entity whose references point to the seeded entities. */
export function renderEntity(kind: string, name: string, seeds: Seeds): JsonObject {
  const example = entityExamples[kind];
  if (example === undefined) throw new Error(`there is no example of the kind ${kind}`);
  const { parent } = getKind(kind);
  const spec = { ...(example["spec"] as JsonObject) };
  const owner = localKinds.has(kind) ? localKey(parent?.kind ?? "") : (parent?.kind ?? "");
  if (parent?.field !== undefined) spec[parent.field] = getSeed(seeds, owner).name;
  for (const { field, kind: linked } of listLinks(getKind(kind)))
    if (spec[field] !== undefined)
      spec[field] = Array.isArray(spec[field]) ? [getSeed(seeds, linked).name] : getSeed(seeds, linked).name;
  if (spec["user"] !== undefined) spec["user"] = getSeed(seeds, "User").name;
  if (typeof spec["volume"] === "string") spec["volume"] = getSeed(seeds, "Volume").name;
  return { metadata: { name }, spec };
}

export function collectionPath(kind: string, project: string, seeds: Seeds): string {
  const { collection, scope, parent } = getKind(kind);
  if (scope === "global") return `/v1/${collection}`;
  const above = parent !== undefined && parent.field === undefined ? parentPath(parent.kind, seeds) : "";
  return `/v1/projects/${project}${above}/${collection}`;
}

export function getSeed(seeds: Seeds, kind: string): Seed {
  const seed = seeds.get(kind);
  if (seed === undefined) throw new Error(`no ${kind} was seeded`);
  return seed;
}

function parentPath(kind: string, seeds: Seeds): string {
  return `/${getKind(kind).collection}/${getSeed(seeds, kind).name}`;
}

function isCreatable(kind: string): boolean {
  return methods.some((method) => method.kind === kind && method.verb === "create");
}

async function create(api: TestApi, path: string, body: JsonObject): Promise<string> {
  return (await api.must("POST", path, { body })).body.metadata.uid ?? "";
}

async function enqueueTask({ deps, pool }: TestApi, project: string): Promise<string> {
  const [uid, entityUid] = [createUid(deps.clock.now()), createUid(deps.clock.now())];
  const subject = { project, entityUid, entityKind: "Network", entityName: "gone", operationUid: null, accountUid: null };
  const work = {
    type: "network.check",
    lane: "short",
    placement: {},
    priority: 0,
    payload: {},
    payloadVersion: 1,
    maxAttempts: 1,
  } as const;
  await enqueueTasks(pool, [{ ...subject, ...work, uid, key: uid }]);
  return uid;
}

/** Writes a state with one version for an existing entity. */
async function writeState({ deps, pool }: TestApi, entityUid: string): Promise<void> {
  const text = `insert into state (entity_uid, project_uid, kind, name, environment)
    select e.uid, p.uid, e.kind, e.name, e.environment from entity e join entity p on p.kind = 'Project' and p.name = e.project where e.uid = $1`;
  await pool.query({ text, values: [entityUid] });
  const content = renderTfState(1, { one: { id: "one" } });
  const uid = createUid(deps.clock.now());
  const about = {
    serial: 1,
    lineage: "line-1",
    md5: md5Of(content),
    size: content.length,
    resources: 1,
    managed: 1,
    rolledBackTo: 0,
  };
  const by = { taskUid: null, operationUid: null, actor: "suite" };
  const sealed = await sealContent(deps.keyRing, uid, content);
  await writeStateVersion(pool, { entityUid, version: 0, lockId: null }, { uid, ...about, ...by, ...sealed });
}

/** Writes an entity directly to the store, for kinds that users cannot create. */
async function insertRow({ deps }: TestApi, kind: string, project: string, name: string): Promise<string> {
  const uid = createUid(deps.clock.now());
  const at = new Date(deps.clock.now()).toISOString();
  const resourceVersion = await deps.versions.next();
  const metadata = { project, name, uid, resourceVersion, createdAt: at, updatedAt: at, generation: 1 };
  const parent = await findEntity(deps.pool, { kind: "Project", project: "", namingScope: "", ref: project });
  const columns = { parentUid: parent?.uid ?? null, environment: "", labels: {} };
  const unset = { namingScope: "", subjectUid: null, environmentUid: null, sealed: null };
  const object = JSON.stringify({ metadata, spec: {}, status: {} });
  const change = { ...columns, seq: resourceVersion, at, type: "ADDED", project, kind, uid, oldLabels: null, object } as const;
  const row = { ...columns, ...unset, uid, kind, project, name, resourceVersion, at, object };
  await insertEntity(deps.pool, row, { changes: [change], events: [], audits: [] });
  deps.feed.poke();
  return uid;
}
