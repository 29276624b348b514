import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { JsonObject } from "../../task.ts";
import { addressOf, listNeeds, type DesiredResource, type Owner } from "./blueprint.ts";
import { judgeFailures, type PoolFailure, type PoolProblem } from "../pool-problem.ts";
import { changeResource, deleteResource, getType, isEndpointFailure, type Engine } from "./engine.ts";
import { reverseOrder, runInOrder } from "./in-order.ts";
import { resolveReferences } from "./resolve-references.ts";
import type { SavedPlan } from "./saved-plan.ts";
import { recordedAddress, type RecordedResource } from "./state-document.ts";

/**
 * Applies a saved plan. Resources that are replaced, and resources that depend on them, are deleted first. Creations and updates follow.
 * All other deletions come last, so that new nodes exist before old ones disappear, and nothing refers to a deleted resource. A failed
 * change of a node pool does not stop the others. Returns the pools that could not be built.
 */
export async function applyPlan(engine: Engine, plan: SavedPlan): Promise<readonly PoolProblem[]> {
  const { serial, lineage } = engine.store.current();
  if (serial !== plan.base.serial || lineage !== plan.base.lineage) {
    throw new Fault(deployerFaults.plan_gone, "the entity's state has changed since the plan was made; a new plan is needed");
  }
  for (const [address, action] of Object.entries(plan.actions)) engine.progress.planned(address, action);
  const early = listEarly(engine, plan);
  const failures = new Map<string, PoolFailure>();
  await removePlanned(engine, plan, failures, (address) => early.has(address));
  await buildPlanned(engine, plan, failures);
  await removePlanned(engine, plan, failures, (address) => plan.actions[address] === "delete");
  const problems = judgeFailures(engine.task, [...failures.values()]);
  await settleDocument(engine, plan, new Set(failures.keys()));
  return problems;
}

type PoolFailures = Map<string, PoolFailure>;

/** Runs a change. If it fails and concerns only a node pool, records the failure instead of throwing it. */
async function isolate(
  { poolOf, task, store }: Engine,
  resource: { readonly type: string; readonly name: string },
  failures: PoolFailures,
  change: () => Promise<void>,
): Promise<void> {
  const written = store.current().serial;
  try {
    await change();
    failures.delete(addressOf(resource));
  } catch (error) {
    const pool = poolOf?.(resource);
    // If the state endpoint is unreachable, all changes stop, because results cannot be recorded.
    if (pool === undefined || task.signal.aborted || store.current().serial === written || isEndpointFailure(error)) throw error;
    failures.set(addressOf(resource), { pool, error });
  }
}

/** Returns the addresses of replaced resources, of duplicates, and of deleted resources that depend on one of them. */
function listEarly({ store }: Engine, { actions }: SavedPlan): ReadonlySet<string> {
  const doomed = store.current().resources.filter((each) => ["delete", "replace"].includes(actions[recordedAddress(each)] ?? ""));
  const early = new Set(
    doomed.filter((each) => each.isSurplus || actions[recordedAddress(each)] === "replace").map(recordedAddress),
  );
  for (let before = -1; before < early.size;) {
    before = early.size;
    for (const each of doomed) if (each.needs.some((needed) => early.has(needed))) early.add(recordedAddress(each));
  }
  return early;
}

async function removePlanned(
  engine: Engine,
  { actions }: SavedPlan,
  failures: PoolFailures,
  isIncluded: (address: string) => boolean,
): Promise<void> {
  const doomed = engine.store.current().resources.filter((each) => {
    const action = actions[recordedAddress(each)];
    return (action === "delete" || action === "replace") && isIncluded(recordedAddress(each));
  });
  const { parallelism, task } = engine;
  const steps = reverseOrder(doomed.map((resource) => ({ key: recordedAddress(resource), after: resource.needs, resource })));
  await runInOrder(steps, { parallelism, signal: task.signal }, ({ resource }) =>
    isolate(engine, resource, failures, () => deleteResource(engine, resource, false)),
  );
}

async function buildPlanned(engine: Engine, { actions, desired }: SavedPlan, failures: PoolFailures): Promise<void> {
  const changing = desired.filter(
    (each) =>
      // A resource that could not be deleted cannot be replaced.
      ["create", "update", "replace"].includes(actions[addressOf(each)] ?? "none") && !failures.has(addressOf(each)),
  );
  const { parallelism, task } = engine;
  const steps = changing.map((resource) => ({ key: addressOf(resource), after: listNeeds(resource), resource }));
  await runInOrder(steps, { parallelism, signal: task.signal }, ({ resource, key }) =>
    isolate(engine, resource, failures, () => (actions[key] === "update" ? update(engine, resource) : create(engine, resource))),
  );
}

async function create(engine: Engine, resource: DesiredResource): Promise<void> {
  const { type, name } = resource;
  const { task } = engine;
  const attributes = resolve(engine, resource);
  await changeResource(engine, addressOf(resource), { action: "create", attributes }, async (token) => {
    const owner: Owner = { entityUid: task.payload.entity.uid, name, token };
    const { id, attributes: actual } = await getType(engine, type).create(attributes, owner, task.signal);
    const created = { type, name, id, attributes: { ...actual, id }, needs: listNeeds(resource), isSurplus: false };
    // A single write removes the old resource from the document and adds its replacement.
    return (resources) => [...resources.filter((each) => recordedAddress(each) !== addressOf(resource)), created];
  });
}

async function update(engine: Engine, resource: DesiredResource): Promise<void> {
  const address = addressOf(resource);
  const recorded = getRecorded(engine, address);
  const attributes = resolve(engine, resource);
  await changeResource(engine, address, { action: "update", attributes }, async () => {
    const actual = await getType(engine, resource.type).update(recorded.id, attributes, engine.task.signal);
    const updated = { ...recorded, attributes: { ...actual, id: recorded.id }, needs: listNeeds(resource) };
    return (resources) => resources.map((each) => (recordedAddress(each) === address ? updated : each));
  });
}

function resolve(engine: Engine, { attributes }: DesiredResource): JsonObject {
  return resolveReferences(attributes, (address) => getRecorded(engine, address).attributes).value;
}

function getRecorded({ store }: Engine, address: string): RecordedResource {
  const found = store.current().resources.find((each) => recordedAddress(each) === address);
  if (found === undefined)
    throw new Fault(deployerFaults.bad_stack, `another resource refers to ${address}, which does not exist`);
  return found;
}

/**
 * Updates the document after all changes: records the dependencies of adopted resources and the current attributes of unchanged ones, and
 * removes the intents of interrupted attempts. The intents of failed changes stay, so that the next attempt repeats these changes.
 */
async function settleDocument(
  { store }: Engine,
  { desired, actions, live }: SavedPlan,
  failed: ReadonlySet<string>,
): Promise<void> {
  const needs = new Map(desired.map((each) => [addressOf(each), listNeeds(each)]));
  const settle = (each: RecordedResource): RecordedResource => {
    const address = recordedAddress(each);
    const attributes = actions[address] === "none" ? (live[address] ?? each.attributes) : each.attributes;
    return { ...each, attributes, needs: needs.get(address) ?? each.needs };
  };
  const { resources, intents } = store.current();
  const kept = intents.filter(({ address }) => failed.has(address));
  if (kept.length === intents.length && JSON.stringify(resources.map(settle)) === JSON.stringify(resources)) return;
  await store.write((document) => ({ resources: document.resources.map(settle), intents: kept }));
}
