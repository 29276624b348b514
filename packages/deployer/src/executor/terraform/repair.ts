import { ownerTag } from "@cloudwright/clouds";
import { findTag } from "@cloudwright/contract/clouds";
import type { TaskRepair } from "@cloudwright/contract";
import { Fault, isObject, listOf, objectOf, type ReadonlyJsonObject } from "@cloudwright/platform";
import { parseState, terraformFaults, type StateResource } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { DeployerTask } from "../../task.ts";
import type { ListedResource, RepairResult } from "../executor.ts";
import { listDeclared, type Configuration } from "./configurations.ts";
import type { Run } from "./run.ts";
import { settle } from "./state-rescue.ts";

/** A resource that exists in the cloud, as read by its provider. */
export type FoundResource = Pick<StateResource, "id" | "resourceType">;

/**
 * Throws unless the configuration declares the resource. Without this check, a user could import any resource of the account into the state
 * with the agent's permissions.
 */
export function requireDeclared(configuration: Configuration, address: string): void {
  if (address.startsWith("module.")) return;
  const [declaration = ""] = address.split("[");
  const declared = listDeclared(configuration);
  if (declared.includes(declaration)) return;
  const [type = ""] = declaration.split(".");
  const similar = declared.filter((each) => each.startsWith(`${type}.`));
  const hint = similar.length === 0 ? "" : `; it declares ${similar.join(", ")}`;
  throw new Fault(
    deployerFaults.not_adoptable,
    `configuration ${configuration.version} does not declare the resource ${declaration}${hint}`,
  );
}

/**
 * Reads a resource from the cloud by importing it into an empty state that is discarded afterwards. `probe` must be a run with such a
 * state. Throws if the resource does not exist or carries the ownership tag of another entity.
 */
export async function probeResource(
  { payload }: Pick<DeployerTask, "payload">,
  probe: Run,
  { address, id }: TaskRepair,
): Promise<FoundResource> {
  const imported = await probe.terraform.import(address, id);
  if (imported.outcome !== "done") throw explainImport(imported.fault, address, id);
  const text = await probe.readState();
  const found = text === undefined ? undefined : parseState(text).resources.find((each) => each.address === address);
  if (found === undefined) throw noSuchResource(address, id);
  const owner = findOwner(found.attributes.reveal());
  if (owner === undefined || owner === payload.entity.uid) return found;
  throw new Fault(deployerFaults.owned_by_other, `${id} belongs to the entity ${owner} and cannot be adopted as ${address}`);
}

/** Imports a resource that `probeResource` found. Does nothing if the state already contains it at this address. */
export async function adoptFound(
  task: DeployerTask,
  run: Run,
  { address, id, dryRun }: TaskRepair,
  found: FoundResource,
): Promise<RepairResult> {
  const resources = await listResources(run);
  const known = resources.find((each) => each.resourceType === found.resourceType && each.id === found.id);
  const adopted = found.id === undefined ? {} : { adopted: { type: found.resourceType, id: found.id } };
  if (known?.address === address)
    return { isChanged: false, message: `${address}: the state already contains ${id}`, ...adopted };
  if (known !== undefined)
    throw new Fault(deployerFaults.address_taken, `the state already contains ${id} as ${known.address}, not as ${address}`);
  const holder = resources.find((each) => each.address === address);
  if (holder !== undefined)
    throw new Fault(
      deployerFaults.address_taken,
      `the state already contains another resource as ${address}: ${holder.id ?? ""}`,
    );
  if (dryRun) return { isChanged: true, message: `${address}: ${id} can be adopted` };
  task.progress(60, `adopting ${id}`);
  const imported = await run.terraform.import(address, id);
  if (imported.outcome === "failed" && imported.erroredState === undefined) throw explainImport(imported.fault, address, id);
  await settle(task, run, imported);
  return { isChanged: true, message: `${address}: adopted ${id}`, ...adopted };
}

/** Removes one resource from the state. Does nothing if the state does not contain it. */
export async function forgetResource(
  task: DeployerTask,
  run: Run,
  { address, dryRun }: Omit<TaskRepair, "id">,
): Promise<RepairResult> {
  const resources = await listResources(run);
  const found = resources.find((each) => each.address === address);
  if (found === undefined) {
    const instances = resources.filter((each) => each.address.startsWith(`${address}[`)).map((each) => each.address);
    if (instances.length > 0)
      throw new Fault(deployerFaults.not_adoptable, `${address} has several instances; name one of ${instances.join(", ")}`);
    return { isChanged: false, message: `the state does not contain ${address}` };
  }
  const what = found.id === undefined ? "" : ` ${found.id}`;
  if (dryRun) return { isChanged: true, message: `${address}:${what} can be forgotten; it would stay in the cloud` };
  task.progress(60, `forgetting ${address}`);
  await settle(task, run, await run.terraform.removeFromState([address]));
  return { isChanged: true, message: `${address}: forgot${what}, which stays in the cloud` };
}

/** Lists the managed resources in the state that have an id in the cloud. */
export async function listStored(run: Pick<Run, "readState">): Promise<readonly ListedResource[]> {
  const resources = await listResources(run);
  return resources.flatMap(({ address, resourceType: type, id }) => (id === undefined ? [] : [{ address, type, id }]));
}

async function listResources({ readState }: Pick<Run, "readState">): Promise<readonly StateResource[]> {
  const text = await readState();
  return text === undefined ? [] : parseState(text).resources.filter(({ mode }) => mode === "managed");
}

function explainImport(fault: Fault, address: string, id: string): Fault {
  if (/non-existent remote object|NotFound\b|NoSuchEntity/i.test(fault.message)) return noSuchResource(address, id);
  if (fault.code !== terraformFaults.failed.code) return fault;
  return new Fault(deployerFaults.not_adoptable, `${id} cannot be adopted as ${address}: ${fault.message}`, { cause: fault });
}

function noSuchResource(address: string, id: string): Fault {
  return new Fault(deployerFaults.no_such_resource, `${address}: the account has no resource with the id ${id}`);
}

/** Returns the value of the ownership tag. Providers write tags as a map or as a list of key-value pairs. */
function findOwner(attributes: ReadonlyJsonObject): string | undefined {
  for (const name of ["tags", "tags_all", "labels", "effective_labels"]) {
    const value = objectOf(attributes[name])[ownerTag];
    if (typeof value === "string") return value;
  }
  // Some clouds store the tag in another form.
  const mapped = findTag(attributes, ownerTag);
  if (mapped !== undefined) return mapped;
  const listed = listOf(attributes["tag"]).find((each) => isObject(each) && each["key"] === ownerTag);
  const { value } = objectOf(listed);
  return typeof value === "string" ? value : undefined;
}
