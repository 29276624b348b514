import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { JsonObject } from "../../task.ts";
import { addressOf, listNeeds, type DesiredResource, type Owner } from "./blueprint.ts";
import { changeResource, deleteResource, getType, type Engine } from "./engine.ts";
import { reverseOrder, runInOrder } from "./in-order.ts";
import { resolveReferences } from "./resolve-references.ts";
import type { SavedPlan } from "./saved-plan.ts";
import { recordedAddress, type RecordedResource } from "./state-document.ts";

/**
 * Applies a saved plan. Resources that are replaced, and resources that depend on them, are deleted first. Creations and updates follow.
 * All other deletions come last, so that new nodes exist before old ones disappear, and nothing refers to a deleted resource.
 */
export async function applyPlan(engine: Engine, plan: SavedPlan): Promise<void> {
  const { serial, lineage } = engine.store.current();
  if (serial !== plan.base.serial || lineage !== plan.base.lineage) {
    throw new Fault(deployerFaults.plan_gone, "the entity's state has changed since the plan was made; a new plan is needed");
  }
  for (const [address, action] of Object.entries(plan.actions)) engine.progress.planned(address, action);
  const early = listEarly(engine, plan);
  await removePlanned(engine, plan, (address) => early.has(address));
  await buildPlanned(engine, plan);
  await removePlanned(engine, plan, (address) => plan.actions[address] === "delete");
  await settleDocument(engine, plan);
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

async function removePlanned(engine: Engine, { actions }: SavedPlan, isIncluded: (address: string) => boolean): Promise<void> {
  const doomed = engine.store.current().resources.filter((each) => {
    const action = actions[recordedAddress(each)];
    return (action === "delete" || action === "replace") && isIncluded(recordedAddress(each));
  });
  const { parallelism, task } = engine;
  const steps = reverseOrder(doomed.map((resource) => ({ key: recordedAddress(resource), after: resource.needs, resource })));
  await runInOrder(steps, { parallelism, signal: task.signal }, ({ resource }) => deleteResource(engine, resource, false));
}

async function buildPlanned(engine: Engine, { actions, desired }: SavedPlan): Promise<void> {
  const changing = desired.filter((each) => ["create", "update", "replace"].includes(actions[addressOf(each)] ?? "none"));
  const { parallelism, task } = engine;
  const steps = changing.map((resource) => ({ key: addressOf(resource), after: listNeeds(resource), resource }));
  await runInOrder(steps, { parallelism, signal: task.signal }, ({ resource, key }) =>
    actions[key] === "update" ? update(engine, resource) : create(engine, resource),
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
 * removes the intents of interrupted attempts.
 */
async function settleDocument({ store }: Engine, { desired, actions, live }: SavedPlan): Promise<void> {
  const needs = new Map(desired.map((each) => [addressOf(each), listNeeds(each)]));
  const settle = (each: RecordedResource): RecordedResource => {
    const address = recordedAddress(each);
    const attributes = actions[address] === "none" ? (live[address] ?? each.attributes) : each.attributes;
    return { ...each, attributes, needs: needs.get(address) ?? each.needs };
  };
  const { resources, intents } = store.current();
  if (intents.length === 0 && JSON.stringify(resources.map(settle)) === JSON.stringify(resources)) return;
  await store.write((document) => ({ resources: document.resources.map(settle), intents: [] }));
}
