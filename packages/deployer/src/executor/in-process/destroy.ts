import { describeError, Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { adoptOwned } from "./adopt.ts";
import { deleteResource, type Engine } from "./engine.ts";
import { reverseOrder, runInOrder } from "./in-order.ts";
import { recordedAddress, type RecordedResource } from "./state-document.ts";

/**
 * Deletes every resource of the entity, including those that only their tags identify. A resource that cannot be deleted does not stop the others:
 * it is tried again as long as others were deleted since. Throws if resources are left.
 */
export async function destroyResources(engine: Engine): Promise<void> {
  await adoptOwned(engine);
  for (const each of engine.store.current().resources) engine.progress.planned(recordedAddress(each), "delete");
  for (;;) {
    const before = engine.store.current().resources.length;
    const failures = await deleteOnce(engine);
    const left = engine.store.current().resources.length;
    if (left === 0) return settleIntents(engine);
    if (left < before) continue;
    const reasons = failures.slice(0, 3).join("; ");
    throw new Fault(deployerFaults.resource_failed, `${left} resources could not be deleted: ${reasons}`);
  }
}

/** Nothing exists any more, so the intents of interrupted attempts are settled. */
async function settleIntents({ store }: Engine): Promise<void> {
  if (store.current().intents.length > 0) await store.write(() => ({ resources: [], intents: [] }));
}

/** Tries to delete every resource once, dependent resources first. Returns why deletions failed. */
async function deleteOnce(engine: Engine): Promise<readonly string[]> {
  const { store, task, parallelism } = engine;
  const failures: string[] = [];
  const resources = store.current().resources.filter(({ type }) => engine.types.has(type));
  const typeOrder = [...engine.types.keys()];
  const steps = resources.map((resource) => ({
    key: recordedAddress(resource),
    after: needsOf(resource, resources, typeOrder),
    resource,
  }));
  await runInOrder(reverseOrder(steps), { parallelism, signal: task.signal }, async ({ resource }) => {
    const written = store.current().serial;
    try {
      await deleteResource(engine, resource);
    } catch (error) {
      // A cloud error affects only one resource. If the state endpoint is unreachable, however, nothing can be recorded, so nothing may be changed.
      if (task.signal.aborted || store.current().serial === written || isEndpointFailure(error)) throw error;
      failures.push(describeError(error));
    }
  });
  const unknown = store.current().resources.filter(({ type }) => !engine.types.has(type));
  return [...failures, ...unknown.map((each) => `${recordedAddress(each)}: the blueprint has no such type`)];
}

function isEndpointFailure(error: unknown): boolean {
  return error instanceof Fault && error.code === deployerFaults.state_door.code;
}

/** An adopted resource has no recorded dependencies. It may depend on every resource of an earlier type. */
function needsOf(
  { type, needs }: RecordedResource,
  resources: readonly RecordedResource[],
  typeOrder: readonly string[],
): readonly string[] {
  if (needs.length > 0) return needs;
  const earlier = new Set(typeOrder.slice(0, typeOrder.indexOf(type)));
  return resources.filter((each) => earlier.has(each.type)).map(recordedAddress);
}
