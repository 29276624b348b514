import { describeError, Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { adoptOwned } from "./adopt.ts";
import { deleteResource, isEndpointFailure, type Engine } from "./engine.ts";
import { reverseOrder, runInOrder } from "./in-order.ts";
import { recordedAddress, type RecordedResource } from "./state-document.ts";

/**
 * Deletes all resources of the entity, including resources that are missing from the state document. A failed deletion does not stop other
 * deletions and is retried as long as each round deletes something. Throws if resources remain.
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
    throw new Fault(deployerFaults.resource_failed, `resources that could not be deleted: ${left}; ${reasons}`);
  }
}

/** No resources remain, so pending intents are obsolete. */
async function settleIntents({ store }: Engine): Promise<void> {
  if (store.current().intents.length > 0) await store.write(() => ({ resources: [], intents: [] }));
}

/** Tries to delete every resource once, dependents first. Returns an error message for each failed deletion. */
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
      await deleteResource(engine, resource, true);
    } catch (error) {
      // A cloud error affects a single resource. If the state endpoint is unreachable, all deletions stop, because results cannot be
      // recorded.
      if (task.signal.aborted || store.current().serial === written || isEndpointFailure(error)) throw error;
      failures.push(describeError(error));
    }
  });
  const unknown = store.current().resources.filter(({ type }) => !engine.types.has(type));
  return [...failures, ...unknown.map((each) => `${recordedAddress(each)}: the blueprint has no such resource type`)];
}

/** Adopted resources have no recorded dependencies. Each one is assumed to depend on all resources of earlier types. */
function needsOf(
  { type, needs }: RecordedResource,
  resources: readonly RecordedResource[],
  typeOrder: readonly string[],
): readonly string[] {
  if (needs.length > 0) return needs;
  const earlier = new Set(typeOrder.slice(0, typeOrder.indexOf(type)));
  return resources.filter((each) => earlier.has(each.type)).map(recordedAddress);
}
