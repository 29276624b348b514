import type { TaskRepair } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { RepairResult } from "../executor.ts";
import type { ResourceType } from "./blueprint.ts";
import type { Engine } from "./engine.ts";
import { recordedAddress, type RecordedResource } from "./state-document.ts";

/** Adds one existing resource to the state document. Does nothing if the document already contains it at this address. */
export async function adoptResource(engine: Engine, { address, id, dryRun }: TaskRepair): Promise<RepairResult> {
  const { task, types, store } = engine;
  const [typeName = "", ...rest] = address.split(".");
  const name = rest.join(".");
  const type = types.get(typeName);
  if (type === undefined || !/^[\w-]+$/.test(name)) {
    const known = [...types.keys()].join(", ");
    throw new Fault(deployerFaults.not_adoptable, `${address} does not have the form TYPE.NAME with one of the types ${known}`);
  }
  const attributes = await type.read(id, task.signal).catch((error: unknown) => {
    // A fault of kind `invalid` means that the id does not have the format of this type's ids.
    if (!(error instanceof Fault) || error.kind !== "invalid") throw error;
    throw new Fault(deployerFaults.not_adoptable, `${address}: ${error.message}`, { cause: error });
  });
  if (attributes === undefined)
    throw new Fault(deployerFaults.no_such_resource, `${address}: the account has no resource with the id ${id}`);
  await requireOwn(engine, type, address, id);
  const { resources } = store.current();
  const known = resources.find((each) => each.type === typeName && each.id === id);
  const adopted = { type: typeName, id };
  if (known !== undefined && recordedAddress(known) === address)
    return { isChanged: false, message: `${address}: the state already contains ${id}`, adopted };
  const holder = known ?? resources.find((each) => recordedAddress(each) === address);
  if (holder !== undefined)
    throw new Fault(deployerFaults.address_taken, `the state already contains ${holder.id} as ${recordedAddress(holder)}`);
  if (dryRun) return { isChanged: true, message: `${address}: ${id} can be adopted` };
  const resource: RecordedResource = {
    type: typeName,
    name,
    id,
    attributes: { ...attributes, id },
    needs: [],
    isSurplus: false,
  };
  await store.write((document) => ({
    resources: [...document.resources, resource],
    intents: document.intents.filter((each) => each.address !== address),
  }));
  return { isChanged: true, message: `${address}: adopted ${id}`, adopted };
}

/** Removes one resource from the state document. Does nothing if the document does not contain it. */
export async function forgetResource({ store }: Engine, { address, dryRun }: Omit<TaskRepair, "id">): Promise<RepairResult> {
  const found = store.current().resources.find((each) => recordedAddress(each) === address);
  if (found === undefined) return { isChanged: false, message: `the state does not contain ${address}` };
  if (dryRun) return { isChanged: true, message: `${address}: ${found.id} can be forgotten; it would stay in the cloud` };
  await store.write((document) => ({
    resources: document.resources.filter((each) => recordedAddress(each) !== address),
    intents: document.intents.filter((each) => each.address !== address),
  }));
  return { isChanged: true, message: `${address}: forgot ${found.id}, which stays in the cloud` };
}

async function requireOwn({ task }: Engine, type: ResourceType, address: string, id: string): Promise<void> {
  const { uid } = task.payload.entity;
  if (type.findOwner !== undefined) {
    const owner = await type.findOwner(id, task.signal);
    if (owner === undefined || owner === uid) return;
    throw new Fault(deployerFaults.owned_by_other, `${id} belongs to the entity ${owner} and cannot be adopted as ${address}`);
  }
  const owned = await type.listOwned(uid, task.signal);
  if (owned.some((each) => each.id === id)) return;
  throw new Fault(
    deployerFaults.owned_by_other,
    `${id} does not carry this entity's ownership tag and cannot be adopted as ${address}`,
  );
}
