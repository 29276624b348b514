import type { AnyEntity, Stored } from "@cloudwright/api-client";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure, type FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { readDocuments, type EntityDocument } from "../documents.ts";
import { resourceOf } from "../entities.ts";
import { cliFaults } from "../faults.ts";
import { addAllowFlag, readAllow } from "../flags/allow-flag.ts";
import { resolveVpc } from "../flags/resolve-vpc.ts";
import { renderPhase } from "../output/columns.ts";
import { itemName } from "../output/item.ts";
import { printItems } from "../output/print-items.ts";
import { requireVerb } from "../references.ts";
import { reportError } from "../report-error.ts";
import { isSameWish } from "../same-spec.ts";
import { settle, type Change } from "../operations/conclude.ts";
import { addWaitFlags } from "../operations/wait.ts";
import { cliKindOf } from "../kinds/registry.ts";

/** `cloud apply -f FILE`: creates missing entities, updates those that differ, and leaves the rest unchanged. */
export const configureApply: Configure = (command, context) => {
  command
    .requiredOption(
      "-f, --file <path>",
      "file, directory or - (standard input); can be repeated",
      (value, before: string[] | undefined) => [...(before ?? []), value],
    )
    .option("--dry-run", "validate on the server without storing anything");
  addAllowFlag(command);
  addWaitFlags(command, "all entities are RUNNING");
  addExamples(
    command,
    "cloud apply -f infrastructure.yaml",
    "cloud apply -f infrastructure/ --dry-run",
    "cloud apply -f network.yaml --allow replace,delete --wait",
    "cloud get networks -o yaml | cloud -p other apply -f -",
  );
  onServer(command, context, apply);
};

async function apply(session: Session, _args: readonly string[], flags: FlagValues): Promise<void> {
  const documents = await readDocuments(session.world, flags["file"] as string[]);
  for (const document of documents) checkDocument(session, document);
  const dryRun = flags["dryRun"] === true;
  const applied: Change[] = [];
  let failures = 0;
  for (const document of documents) {
    const label = itemName({ ...document, entity: document.entity as Stored<AnyEntity> });
    try {
      const change = await applyOne(session, document, flags);
      applied.push(change);
      if (!session.output.isChosen) session.output.done(`${label} ${dryRun ? `would be ${change.done} (dry run)` : change.done}`);
    } catch (error) {
      session.world.signal.throwIfAborted();
      // If the server is unreachable or rejects the key, all remaining documents will fail too.
      if (!(error instanceof Fault) || ["unavailable", "unauthenticated"].includes(error.kind)) throw error;
      const isPlanned = dryRun && isMissingParent(error, document, documents);
      if (isPlanned)
        session.output.done(`${label} would be created (dry run; not validated, because its parent does not exist yet)`);
      else {
        failures += 1;
        if (!session.output.isChosen) session.output.line(`${label} failed`);
        reportError(session.world.stderr, error);
      }
    }
  }
  const { items, trouble } = dryRun
    ? { items: applied.map(({ item }) => item), trouble: undefined }
    : await settle(session, applied, flags);
  if (session.output.isChosen) await printItems(session, items, { asList: documents.length > 1 });
  else if (flags["wait"] === true && !dryRun)
    for (const item of items.filter(({ kind }) => kind.provisioned))
      session.output.done(`${itemName(item)} is ${renderPhase(item)}`);
  if (failures === 0 && trouble !== undefined) throw trouble;
  if (trouble !== undefined) reportError(session.world.stderr, trouble);
  if (failures > 0) throw new Fault(cliFaults.apply_failed, `${failures} of ${documents.length} documents could not be applied`);
}

function checkDocument(session: Session, { kind, project, source }: EntityDocument): void {
  requireVerb(kind, "update");
  if (session.projectIsExplicit && project !== undefined && project !== session.project) {
    throw new Fault(cliFaults.usage, `${source} is for project ${project}, but --project is ${session.project}`);
  }
}

async function applyOne(session: Session, document: EntityDocument, flags: FlagValues): Promise<Change> {
  const { kind, cluster, project } = document;
  const entity = await resolveNetwork(session, document);
  const { signal } = session.world;
  let accepted: string | undefined;
  const dryRun = flags["dryRun"] === true;
  const options = { dryRun, signal, onAccepted: (operation: string) => void (accepted = operation) };
  const resource = resourceOf(session, kind, cluster, project);
  const before = await findEntity(() => resource.get(entity.metadata.name, { signal }));
  if (before === undefined) {
    const created = await resource.create(entity, options);
    return { item: { kind, cluster, entity: created }, project, accepted, done: "created" };
  }
  // The file describes the desired state, so the resource version that it was exported with does not matter.
  const { resourceVersion: _version, ...metadata } = entity.metadata as { name: string; resourceVersion?: string };
  const after = await resource.update(entity.metadata.name, { ...entity, metadata }, { ...options, ...readAllow(kind, flags) });
  return { item: { kind, cluster, entity: after }, project, accepted, done: isSameWish(before, after) ? "unchanged" : "changed" };
}

/** Accepts a cloud id as the network, as `--vpc` does. */
async function resolveNetwork(session: Session, { kind, entity }: EntityDocument): Promise<EntityDocument["entity"]> {
  const { network } = (entity.spec ?? {}) as { readonly network?: unknown };
  if (cliKindOf(kind).networkByCloudId !== true || typeof network !== "string") return entity;
  return { ...entity, spec: { ...entity.spec, network: await resolveVpc(session, network) } };
}

async function findEntity(get: () => Promise<Stored<AnyEntity>>): Promise<Stored<AnyEntity> | undefined> {
  try {
    return await get();
  } catch (error) {
    if (error instanceof Fault && error.kind === "not_found") return undefined;
    throw error;
  }
}

/** Returns true if a dry run failed only because the parent does not exist yet and one of the documents would create that parent. */
function isMissingParent(fault: Fault, { kind, cluster, entity }: EntityDocument, documents: readonly EntityDocument[]): boolean {
  const { parent } = kind;
  if (parent === undefined || !["not_found", "invalid"].includes(fault.kind)) return false;
  const name = parent.field === undefined ? cluster : (entity.spec as Record<string, unknown> | undefined)?.[parent.field];
  const isPlanned = documents.some((other) => other.kind.kind === parent.kind && other.entity.metadata.name === name);
  const isAboutParent = fault.kind === "not_found" || fault.fields.length > 0;
  return isPlanned && isAboutParent && fault.fields.every(({ field }) => field === `spec.${parent.field}` || field === "parent");
}
