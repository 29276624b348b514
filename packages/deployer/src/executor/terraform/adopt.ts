import { getValue, parseState } from "@cloudwright/terraform";
import type { OwnedResource } from "../../cloud.ts";
import type { Stack } from "../../stack.ts";
import type { DeployerTask } from "../../task.ts";
import type { Run } from "./run.ts";

/** A resource in the cloud and its address in the configuration. */
interface Adoption {
  readonly address: string;
  readonly id: string;
}

/**
 * Imports every resource that has the entity's ownership tag and is missing in the state. A killed Terraform may have created it without saving
 * the state, and the next plan would create it a second time. Returns the imported addresses.
 */
export async function adoptOwned(
  { payload, log }: DeployerTask,
  stack: Stack,
  { cloud, terraform, readState }: Pick<Run, "cloud" | "terraform" | "readState">,
): Promise<readonly string[]> {
  const owned = await cloud.listOwned(payload.entity.uid);
  if (owned.length === 0) return [];
  const text = await readState();
  const resources = text === undefined ? [] : parseState(text).resources;
  const known = new Set(resources.map(({ resourceType, id }) => `${resourceType} ${id}`));
  const taken = new Set(resources.flatMap(({ address, deposedKey }) => (deposedKey === undefined ? [address] : [])));
  const missing = owned.filter(({ type, id }) => !known.has(`${type} ${id}`));
  const adopted: string[] = [];
  for (const { address, id } of listAdoptions(stack, owned, missing)) {
    // An interrupted replacement leaves two resources for one address. The second is adopted after the first was deleted.
    if (taken.has(address)) {
      log(`${address}: ${id} was created by an interrupted run; not adopted, because the address is in use`);
      continue;
    }
    log(`${address}: adopting ${id}, which an interrupted run created`);
    getValue(await terraform.import(address, id));
    adopted.push(address);
  }
  return adopted;
}

/** Finds the addresses of owned resources. Resources that belong to no address are left out. */
export function listAdoptions(stack: Stack, owned: readonly OwnedResource[], missing: readonly OwnedResource[]): Adoption[] {
  const tagged = new Map(
    owned.flatMap(({ type, id, part }) => (part === undefined ? [] : [[id, renderAddress(type, part)] as const])),
  );
  return missing.flatMap((resource) => {
    const address =
      resource.part === undefined ? stack.findUntagged(resource, tagged) : renderAddress(resource.type, resource.part);
    return address === undefined ? [] : [{ address, id: resource.importId ?? resource.id }];
  });
}

function renderAddress(type: string, part: string): string {
  const [name = "", ...key] = part.split("/");
  return `${type}.${name}${key.length === 0 ? "" : `[${JSON.stringify(key.join("/"))}]`}`;
}
