import { Fault } from "@cloudwright/platform";
import {
  getValue,
  listUnconfiguredImports,
  parseState,
  terraformFaults,
  type CommandOutcome,
  type ResourceImport,
  type SavedPlan,
} from "@cloudwright/terraform";
import type { OwnedResource } from "../../cloud.ts";
import { deployerFaults } from "../../faults.ts";
import type { AdoptionPurpose, Stack } from "../../stack.ts";
import type { DeployedEntity, DeployerTask } from "../../task.ts";
import type { Run } from "./run.ts";
import { listDeclared } from "./configurations.ts";
import { settle } from "./state-rescue.ts";
import type { Subject } from "./subject.ts";

/** Resources of an entity that a killed Terraform process created without recording them in the state. */
export interface LostResources {
  /** Resources whose address is not in the state, so they can be imported. */
  readonly imports: readonly ResourceImport[];
  /** Resources whose address already belongs to another resource, because a replacement was interrupted. */
  readonly duplicates: readonly ResourceImport[];
}

/**
 * Returns the resources that carry the entity's ownership tag but are missing from the state. Omits those that a user told the platform to
 * forget, and those in `removed` (type and ID), which this run has deleted. Only a removal passes `removed`.
 */
export async function findLost(
  { payload, log }: Pick<DeployerTask, "payload" | "log">,
  { stack, configuration }: Pick<Subject, "stack" | "configuration">,
  { cloud, endpoint, readState }: Pick<Run, "cloud" | "endpoint" | "readState">,
  removed?: ReadonlySet<string>,
): Promise<LostResources> {
  const owned = await cloud.listOwned(payload.entity.uid);
  if (owned.length === 0) return { imports: [], duplicates: [] };
  const text = await readState();
  const resources = text === undefined ? [] : parseState(text).resources;
  const known = new Set(resources.map(({ resourceType, id }) => `${resourceType} ${id}`));
  const taken = new Set(resources.flatMap(({ address, deposedKey }) => (deposedKey === undefined ? [address] : [])));
  const forgotten = new Set((endpoint.forgotten ?? []).map(({ type, id }) => `${type} ${id}`));
  const missing = owned.filter(({ type, id }) => ![known, forgotten, removed].some((keys) => keys?.has(`${type} ${id}`)));
  const imports: ResourceImport[] = [];
  const duplicates: ResourceImport[] = [];
  const { entity, outputs } = payload;
  const isRemoval = removed !== undefined;
  const declared = (): readonly string[] => listDeclared(configuration);
  for (const lost of listAdoptions(stack, owned, missing, declared, entity, { outputs, isRemoval })) {
    (taken.has(lost.address) ? duplicates : imports).push(lost);
    taken.add(lost.address);
  }
  for (const { address, id } of imports) log(`${address}: adopting ${id}, which an interrupted run created`);
  for (const { address, id } of duplicates)
    log(`${address}: ${id} was created by an interrupted run; not adopted, because the address is in use`);
  return { imports, duplicates };
}

/**
 * Imports the resources that a failed plan could not import, one by one. Returns those that the next plan must import. Rethrows the plan's
 * fault if the imports cannot be its cause.
 */
export async function recoverFromPlan(
  task: Pick<DeployerTask, "log">,
  run: Run,
  imports: readonly ResourceImport[],
  planned: Exclude<CommandOutcome<SavedPlan>, { readonly outcome: "done" }>,
): Promise<readonly ResourceImport[]> {
  const { outcome, fault, report } = planned;
  const isUnavailable = fault.retry === "backoff" && fault.code !== terraformFaults.failed.code;
  if (outcome === "cancelled" || imports.length === 0 || isUnavailable) throw fault;
  // The spec may have changed since the interrupted run, so the configuration may no longer contain the resource's address. If the plan
  // failed for another reason, the resources are still adopted, so that a deletion finds them in the state.
  const unconfigured = listUnconfiguredImports(imports, report.diagnostics);
  const single = unconfigured.length === 0 ? imports : unconfigured;
  await importOneByOne(task, run, single);
  return imports.filter((each) => !single.includes(each));
}

/**
 * Imports lost resources into the state before a removal. A destroy plan ignores imports, so a separate plan imports them. That plan is
 * applied only if it does nothing else. Returns whether the state records the dependencies of all resources.
 */
export async function importForRemoval(task: DeployerTask, run: Run, imports: readonly ResourceImport[]): Promise<boolean> {
  if (imports.length === 0) return true;
  const target = imports.map(({ address }) => address);
  // Imported resources are not updated before their deletion. An update would take time, and could open an unfinished cluster to the
  // internet.
  const planned = await run.terraform.plan({ imports, target, outputs: false, keepsImported: true });
  if (planned.outcome === "cancelled") throw planned.fault;
  if (planned.outcome === "done") {
    const { changes } = getValue(await run.terraform.showPlan(planned.value.id));
    const isHarmless = changes.every(
      ({ mode, action, importId }) => mode === "data" || action === "none" || importId !== undefined,
    );
    const replaces = changes.some(({ action }) => action === "replace" || action === "delete");
    if (isHarmless && !replaces) {
      const applied = await run.terraform.apply(planned.value.id);
      if (applied.outcome === "done" || applied.outcome === "cancelled" || applied.erroredState !== undefined) {
        await settle(task, run, applied);
        return true;
      }
    }
  }
  await importOneByOne(task, run, imports);
  return false;
}

/**
 * Imports resources without evaluating the configuration, so only the cloud can reject an import. This is slower than a single plan, and the
 * state does not record the dependencies between these resources.
 */
async function importOneByOne(
  { log }: Pick<DeployerTask, "log">,
  { terraform, readState }: Pick<Run, "terraform" | "readState">,
  imports: readonly ResourceImport[],
): Promise<void> {
  const text = await readState();
  const taken = new Set(text === undefined ? [] : parseState(text).resources.map(({ address }) => address));
  const failures: Fault[] = [];
  for (const { address, id } of imports.filter((each) => !taken.has(each.address))) {
    const imported = await terraform.import(address, id);
    if (imported.outcome === "done") continue;
    if (imported.outcome === "cancelled" || imported.fault.code === terraformFaults.state_locked.code) throw imported.fault;
    if (/non-existent remote object/i.test(imported.fault.message)) log(`${address}: ${id} no longer exists`);
    else failures.push(imported.fault);
  }
  const [first] = failures;
  if (first === undefined) return;
  throw new Fault(
    deployerFaults.adoption_failed,
    `${failures.length} of ${imports.length} resources of an interrupted run could not be adopted: ${first.message}`,
    { cause: first },
  );
}

/** Finds the addresses of owned resources. Resources that do not match an address are left out. */
export function listAdoptions(
  stack: Stack,
  owned: readonly OwnedResource[],
  missing: readonly OwnedResource[],
  declared: () => readonly string[],
  entity: DeployedEntity,
  purpose?: AdoptionPurpose,
): ResourceImport[] {
  let names: ReadonlySet<string> | undefined;
  const declares = (name: string): boolean => (names ??= new Set(declared())).has(name);
  const tagged = new Map(
    owned.flatMap(({ type, id, part }) => (part === undefined ? [] : [[id, renderAddress(type, part)] as const])),
  );
  return missing.flatMap((resource) => {
    const address =
      resource.part === undefined
        ? stack.findUntagged(resource, tagged, declares, entity, purpose)
        : renderAddress(resource.type, resource.part);
    return address === undefined ? [] : [{ address, id: resource.importId ?? resource.id }];
  });
}

function renderAddress(type: string, part: string): string {
  const [name = "", ...key] = part.split("/");
  return `${type}.${name}${key.length === 0 ? "" : `[${JSON.stringify(key.join("/"))}]`}`;
}
