import { createUid, describeError, Fault, systemClock } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { deployerFaults } from "../../faults.ts";
import type { DeployerTask, JsonObject } from "../../task.ts";
import type { Progress } from "../progress.ts";
import type { DeletedResource, ResourceType } from "./blueprint.ts";
import { recordedAddress, type Intent, type RecordedResource, type StateDocument } from "./state-document.ts";
import type { StateStore } from "./state-store.ts";

/** Everything needed to change the resources of one entity. */
export interface Engine {
  readonly task: DeployerTask;
  /** Resource types, keyed by name, in the order in which their resources are created. */
  readonly types: ReadonlyMap<string, ResourceType>;
  readonly store: StateStore;
  readonly progress: Progress;
  /** Maximum number of resources that are changed concurrently. */
  readonly parallelism: number;
  /** Returns the node pool that a resource belongs to, if any. */
  poolOf?(resource: { readonly type: string; readonly name: string }): string | undefined;
  /** Runs before a resource is deleted. */
  beforeDelete(resource: DeletedResource, isRemoval: boolean): Promise<void>;
  /** Resources that a user told the platform to forget. */
  readonly forgotten: readonly { readonly type: string; readonly id: string }[];
}

/** Returns a resource type by name. Throws if the blueprint no longer contains the type. */
export function getType({ types }: Pick<Engine, "types">, name: string): ResourceType {
  const type = types.get(name);
  if (type === undefined) throw new Fault(deployerFaults.bad_stack, `the blueprint has no resource type "${name}"`);
  return type;
}

/** Returns the resource list to record after a change. */
type RecordResult = (resources: readonly RecordedResource[]) => readonly RecordedResource[];

/**
 * Changes one resource. An intent is saved before the call to the cloud and removed when the result is saved. If the process dies in
 * between, the next attempt repeats a creation with the same token and treats the recorded attributes as outdated.
 */
export async function changeResource(
  { task, store, progress }: Engine,
  address: string,
  { action, attributes = {} }: { readonly action: Intent["action"]; readonly attributes?: JsonObject },
  call: (token: string) => Promise<RecordResult>,
): Promise<void> {
  const digest = createHash("sha256").update(JSON.stringify(attributes)).digest("hex");
  const pending = store.current().intents.find((each) => each.address === address && each.action === action);
  const token = pending?.digest === digest ? pending.token : createUid(systemClock.now());
  const intent: Intent = { address, action, token, digest };
  const without = ({ intents }: StateDocument): Intent[] => intents.filter((each) => each.address !== address);
  await store.write((document) => ({ ...document, intents: [...without(document), intent] }));
  progress.started(address, action);
  task.log(`${address}: ${action} started`);
  try {
    const record = await call(intent.token);
    await store.write((document) => ({ resources: record(document.resources), intents: without(document) }));
  } catch (error) {
    task.log(`${address}: ${action} failed`);
    throw describeFailure(address, action, error, task.signal);
  }
  progress.finished(address);
  task.log(`${address}: ${action} finished`);
}

export async function deleteResource(engine: Engine, resource: RecordedResource, isRemoval: boolean): Promise<void> {
  const address = recordedAddress(resource);
  await changeResource(engine, address, { action: "delete" }, async () => {
    const { type, name, id } = resource;
    await engine.beforeDelete({ type, name, id }, isRemoval);
    await getType(engine, resource.type).delete(resource.id, engine.task.signal);
    return (resources) => resources.filter((each) => recordedAddress(each) !== address);
  });
}

/** Reads the current attributes of all recorded resources from the cloud. The result omits resources that no longer exist. */
export async function readLive(
  { types, task }: Pick<Engine, "types" | "task">,
  { resources }: StateDocument,
): Promise<ReadonlyMap<string, JsonObject>> {
  const found = await Promise.all(
    resources.map(async (each) => {
      const attributes = await getType({ types }, each.type).read(each.id, task.signal);
      return attributes === undefined ? [] : [[recordedAddress(each), { ...attributes, id: each.id }] as const];
    }),
  );
  return new Map(found.flat());
}

// Faults from the resource type or the state endpoint are already specific, and the signal's reason indicates a cancellation. All of these
// are passed on unchanged.
function describeFailure(address: string, action: string, error: unknown, signal: AbortSignal): unknown {
  if (error instanceof Fault || (signal.aborted && error === signal.reason)) return error;
  return new Fault(deployerFaults.resource_failed, `${address}: ${action} failed: ${describeError(error)}`, { cause: error });
}

/** Returns whether an error comes from the state endpoint. */
export function isEndpointFailure(error: unknown): boolean {
  return error instanceof Fault && error.code === deployerFaults.state_door.code;
}
