import type { TaskNodePool } from "@cloudwright/contract";
import { isObject, objectOf, Secret } from "@cloudwright/platform";
import { chooseParallelism } from "../../direct/choose-parallelism.ts";
import type { DeployerTask, JsonObject } from "../../task.ts";
import { describeDrift } from "../describe-drift.ts";
import type { ExecutorWork, OpenedExecutor, ServiceExecutor } from "../executor.ts";
import type { ExecutorPlan, PlannedChange } from "../executor-plan.ts";
import { readInfraSettings } from "../infra-settings.ts";
import { createProgress } from "../progress.ts";
import { adoptOwned } from "./adopt.ts";
import { applyPlan } from "./apply.ts";
import type { Blueprint, DesiredResource, ResourceType } from "./blueprint.ts";
import { destroyResources } from "./destroy.ts";
import { readLive, type Engine } from "./engine.ts";
import { findChangesOutside, planResources } from "./plan-resources.ts";
import { adoptResource, forgetResource } from "./repair.ts";
import { packPlan, unpackPlan } from "./saved-plan.ts";
import { keepPools, listBuiltPools, splitPools } from "./split-pools.ts";
import { emptyDocument, recordedAddress, type StateDocument } from "./state-document.ts";
import { openStateStore, readDocument, type StateStore } from "./state-store.ts";

export interface InProcessOptions {
  /** Name of the executor in messages. Default: `in-process`. */
  readonly name?: string;
  /** The provisioner that an entity must select in order to be built by this executor. Default: any. */
  readonly provisioner?: string;
  /** Maximum number of resources that are changed concurrently. Default: the task's limit, or 10. */
  readonly parallelism?: number;
}

/** Builds a service by calling the blueprint's resource types in this process. The state document is stored at the state endpoint. */
export function createInProcessExecutor(blueprint: Blueprint, options: InProcessOptions = {}): ServiceExecutor {
  const { name = "in-process", provisioner, parallelism } = options;
  return {
    name,
    ...(provisioner === undefined ? {} : { provisioner }),
    service: blueprint.service,
    cloud: blueprint.cloud,
    ...(blueprint.poolOf === undefined ? {} : { isolatesPools: true }),
    checkSpec: (work) => void listDesired(blueprint, work),
    open: (work) => openExecutor(blueprint, work, parallelism ?? chooseParallelism(work.task.payload)),
    ...(blueprint.describeChange === undefined ? {} : { describeChange: (change) => blueprint.describeChange?.(change) }),
  };
}

/** Returns the work as if the cluster had only these node pools. */
function withPools<Work extends Pick<ExecutorWork, "task">>(work: Work, nodePools: readonly TaskNodePool[]): Work {
  return { ...work, task: { ...work.task, payload: { ...work.task.payload, nodePools } } };
}

function listDesired(
  { resources }: Blueprint,
  { task, account }: Pick<ExecutorWork, "task" | "account">,
  observed?: JsonObject,
): readonly DesiredResource[] {
  return resources(task.payload.entity, account, { ...task.payload, ...(observed === undefined ? {} : { observed }) });
}

function openExecutor(blueprint: Blueprint, work: ExecutorWork, parallelism: number): OpenedExecutor {
  const { task, session } = work;
  let types: ReadonlyMap<string, ResourceType> | undefined;
  let store: StateStore | undefined;
  const openTypes = async (): Promise<ReadonlyMap<string, ResourceType>> =>
    (types ??= new Map((await blueprint.openTypes(work)).map((type) => [type.name, type])));
  const openEngine = async (): Promise<Engine> => {
    const opened = await openTypes();
    const endpoint = await session.openEndpoint();
    store ??= await openStateStore(endpoint, { isResumed: task.resumed });
    const progress = createProgress((percent, message) => task.progress(percent, message));
    const beforeDelete: Engine["beforeDelete"] = async (resource, isRemoval) => {
      if (blueprint.beforeDelete !== undefined)
        await blueprint.beforeDelete(resource, await session.openCloud(), { task, account: work.account, isRemoval });
    };
    const pools = blueprint.poolOf === undefined ? {} : { poolOf: blueprint.poolOf.bind(blueprint) };
    return { task, types: opened, store, progress, parallelism, beforeDelete, forgotten: endpoint.forgotten ?? [], ...pools };
  };
  const observe = async (): Promise<JsonObject | undefined> =>
    blueprint.observe?.(task.payload.entity, task.payload, {
      openCloud: () => session.openCloud(),
      secrets: (await session.openEndpoint()).secrets ?? new Secret({}),
    });
  return {
    preflight: async () => void listDesired(blueprint, withPools(work, splitPools(blueprint, work).valid)),
    adopt: async () => adoptOwned(await openEngine()),
    async plan() {
      // Rejects an invalid spec before anything is opened. A preview shows what is wrong with any pool.
      const { valid, problems } = splitPools(blueprint, work);
      const buildable = work.action === "preview" ? work : withPools(work, valid);
      listDesired(blueprint, buildable);
      task.progress(10, "planning");
      const desired = listDesired(blueprint, buildable, await observe());
      const document = await readPlanned(work, store);
      return plan(blueprint, task, [...desired, ...keepPools(blueprint, document, problems)], await openTypes(), document);
    },
    async apply(takeSavedPlan) {
      const engine = await openEngine();
      const pools = splitPools(blueprint, work);
      const problems = [...pools.problems, ...(await applyPlan(engine, unpackPlan(await takeSavedPlan())))];
      const document = engine.store.current();
      const built = listBuiltPools(blueprint, document, { ...pools, problems });
      const status = readStatus(blueprint, withPools(work, built).task, document);
      return { status: problems.length === 0 ? status : keepChoices(task, status), version: blueprint.version, problems };
    },
    async destroy(beforeRemoval = async () => undefined) {
      const engine = await openEngine();
      await beforeRemoval();
      await destroyResources(engine);
    },
    async listResources() {
      const { resources } = await readDocument(await session.openEndpoint());
      return resources.map((each) => ({ address: recordedAddress(each), type: each.type, id: each.id }));
    },
    async findDrift() {
      task.progress(10, "refreshing");
      const opened = await openTypes();
      const document = await readDocument(await session.openEndpoint());
      const live = await readLive({ types: opened, task }, document);
      const changes = dropExpected(blueprint, task, findChangesOutside({ document, live, types: opened }));
      return describeDrift(changes, readInfraSettings(task.payload.entity).ignore);
    },
    adoptResource: async (resource) => adoptResource(await openEngine(), resource),
    forgetResource: async (resource) => forgetResource(await openEngine(), resource),
    async close(succeeded) {
      const closing = store;
      store = undefined;
      // The endpoint may be unreachable after a failure. In that case, the lock expires with the lease, or the next attempt releases it.
      await (succeeded ? closing?.close() : closing?.close().catch(() => undefined));
    },
  };
}

/** Keeps what earlier runs chose for pools that this run left as they are, such as their zones. */
function keepChoices({ payload }: DeployerTask, status: JsonObject): JsonObject {
  const [former, now] = [objectOf(payload.outputs["choices"]), objectOf(status["choices"])];
  const merged = Object.entries(now).map(([name, value]) => {
    const isMap = isObject(value) && isObject(former[name]);
    return [name, isMap ? { ...objectOf(former[name]), ...value } : value] as const;
  });
  return { ...status, choices: Object.fromEntries(merged) };
}

/** Returns the document to plan against. A preview of a new entity uses an empty document. */
async function readPlanned({ task, action, session }: ExecutorWork, store: StateStore | undefined): Promise<StateDocument> {
  if (action === "preview" && task.payload.formerSpec === undefined) return emptyDocument;
  return store?.current() ?? readDocument(await session.openEndpoint());
}

async function plan(
  blueprint: Blueprint,
  task: DeployerTask,
  desired: readonly DesiredResource[],
  types: ReadonlyMap<string, ResourceType>,
  document: StateDocument,
): Promise<ExecutorPlan> {
  const live = await readLive({ types, task }, document);
  const { ignore } = readInfraSettings(task.payload.entity);
  const planned = planResources({ desired, document, live, types, ignore });
  const base = { serial: document.serial, lineage: document.lineage };
  const actions = Object.fromEntries(planned.changes.map(({ address, action }) => [address, action]));
  const { bytes, digest } = packPlan({ base, desired: planned.desired, actions, live: Object.fromEntries(live) });
  const drift = dropExpected(blueprint, task, findChangesOutside({ document, live, types }));
  return { changes: planned.changes, drift, dependencies: planned.dependencies, base, digest, save: async () => bytes };
}

/** Leaves out attributes that other programs are expected to change. */
function dropExpected(blueprint: Blueprint, task: DeployerTask, changes: readonly PlannedChange[]): PlannedChange[] {
  return changes
    .map((change) => ({
      ...change,
      changedPaths: change.changedPaths.filter(({ path }) => blueprint.isChangedByOthers?.(change, path, task.payload) !== true),
    }))
    .filter(({ action, changedPaths }) => action === "delete" || changedPaths.length > 0);
}

function readStatus(blueprint: Blueprint, { payload }: DeployerTask, { resources }: StateDocument): JsonObject {
  const attributes = new Map(resources.map((each) => [recordedAddress(each), each.attributes]));
  const outputs = blueprint.outputs((address) => attributes.get(address) ?? {}, payload.entity, payload);
  return objectOf(JSON.parse(JSON.stringify(outputs)) as JsonObject);
}
