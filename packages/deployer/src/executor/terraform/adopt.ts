import { getValue, parseState } from "@cloudwright/terraform";
import type { OwnedThing } from "../../cloud.ts";
import type { Stack } from "../../stack.ts";
import type { DeployerTask } from "../../task.ts";
import type { Run } from "./open-run.ts";

/** A thing of the cloud and the resource that stands for it. */
interface Adoption {
  readonly address: string;
  readonly id: string;
}

/**
 * Imports what belongs to the entity and is not in its state: a Terraform that was killed has made it and could not say so. Without this the
 * next run would make it a second time.
 */
export async function adoptLost(
  { payload, log }: DeployerTask,
  stack: Stack,
  { cloud, terraform, readState }: Pick<Run, "cloud" | "terraform" | "readState">,
): Promise<void> {
  const owned = await cloud.listOwned(payload.entity.uid);
  if (owned.length === 0) return;
  const text = await readState();
  const resources = text === undefined ? [] : parseState(text).resources;
  const known = new Set(resources.map(({ resourceType, id }) => `${resourceType} ${id}`));
  const taken = new Set(resources.flatMap(({ address, deposedKey }) => (deposedKey === undefined ? [address] : [])));
  const lost = owned.filter(({ type, id }) => !known.has(`${type} ${id}`));
  for (const { address, id } of listAdoptions(stack, owned, lost)) {
    // A successor that was being made beside what it replaces: it is taken over once that is gone.
    if (taken.has(address)) {
      log(`${address}: ${id} was made by a run that was cut off; another one stands for it now`);
      continue;
    }
    log(`${address}: ${id} was made by a run that was cut off; it is taken over`);
    getValue(await terraform.import(address, id));
  }
}

/** The resources that things stand for; what stands for none is left alone. */
export function listAdoptions(stack: Stack, owned: readonly OwnedThing[], lost: readonly OwnedThing[]): Adoption[] {
  const tagged = new Map(
    owned.flatMap(({ type, id, part }) => (part === undefined ? [] : [[id, renderAddress(type, part)] as const])),
  );
  return lost.flatMap((thing) => {
    const address = thing.part === undefined ? stack.findUntagged(thing, tagged) : renderAddress(thing.type, thing.part);
    return address === undefined ? [] : [{ address, id: thing.importId ?? thing.id }];
  });
}

function renderAddress(type: string, part: string): string {
  const [name = "", ...key] = part.split("/");
  return `${type}.${name}${key.length === 0 ? "" : `[${JSON.stringify(key.join("/"))}]`}`;
}
