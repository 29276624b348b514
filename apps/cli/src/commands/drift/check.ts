import { findKind, kinds, type Kind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import type { Session } from "../../connection/session.ts";
import { getItem, listItems } from "../../entities.ts";
import { cliFaults } from "../../faults.ts";
import type { OperationRef } from "../../operations/operation.ts";
import { renderFollowCommands } from "../../operations/operation.ts";
import { addWaitFlags, findTrouble, readWait, waitForOperations } from "../../operations/wait.ts";
import type { Item } from "../../output/item.ts";
import { isStructured } from "../../output/output.ts";
import { printDriftStatuses, type CheckedItem } from "../../runs/drift-status.ts";
import { isUid, requireStack } from "../../stack-uid.ts";

const checked = (kinds as readonly Kind[]).filter(({ hasDriftChecks }) => hasDriftChecks === true);
const concurrent = 8;

/** `cloud drift check [ENTITY]`: compares cloud resources with what was applied, for one entity or for all entities of the project. */
export const configureDriftCheck: Configure = (command, context) => {
  command.argument("[entity]", "KIND/NAME or a uid (default: all provisioned entities of the project)");
  addWaitFlags(command, "the checks have ended, then show the results");
  addExamples(command, "cloud drift check cluster/dev --wait", "cloud drift check", "cloud drift check --wait -o json");
  onServer(command, context, async (session, [text], flags) => {
    const items = text === undefined ? await listBuilt(session) : [await findStack(session, text)];
    if (items.length === 0 && !isStructured(session.output.format)) {
      session.output.note(`project ${session.project} has no provisioned entities to check`);
      return;
    }
    const started = await startChecks(session, items, text !== undefined);
    const refs = started.map(({ operation }): OperationRef => ({ project: session.project, name: operation }));
    const wait = readWait(flags);
    if (wait === undefined) {
      await printDriftStatuses(session, started);
      if (refs.length > 0 && !isStructured(session.output.format))
        session.output.note(`follow progress with: ${renderFollowCommands(session, refs).join("; ")}`);
      return;
    }
    const ended = await waitForOperations(session, refs, wait);
    const after = await Promise.all(started.map(async (item) => ({ ...item, ...(await findAgain(session, item)) })));
    await printDriftStatuses(session, after);
    const trouble = findTrouble(ended);
    if (trouble !== undefined) throw trouble;
  });
};

/** Finds an entity of any kind that can be checked. For a node pool, returns its cluster. */
async function findStack(session: Session, text: string): Promise<Item> {
  const [word = ""] = text.split("/");
  const kind = text.includes("/") ? findKind(word) : undefined;
  if (kind !== undefined && kind.hasDriftChecks !== true && kind.builtByOwnerAs === undefined) {
    const names = checked.map(({ words }) => words[0]).join(", ");
    throw new Fault(cliFaults.usage, `${text}: drift checks are not available for this kind; supported kinds: ${names}`);
  }
  const uid = await requireStack(session, text);
  const owner = kind?.builtByOwnerAs === undefined ? kind : findKind(kind.parent?.kind ?? "");
  for (const each of owner === undefined ? checked : [owner]) {
    const found = await getItem(session, { kind: each, cluster: undefined, name: uid }).catch((error: unknown) => {
      if (isUid(text) && error instanceof Fault && error.kind === "not_found") return undefined;
      throw error;
    });
    if (found !== undefined) return found;
  }
  throw new Fault(
    cliFaults.usage,
    `"${text}" is not the uid of an entity in project ${session.project} that can be checked for drift`,
  );
}

async function listBuilt(session: Session): Promise<Item[]> {
  const items: Item[] = [];
  for (const kind of checked) for await (const item of listItems(session, kind, {})) if (isBuilt(item)) items.push(item);
  return items;
}

function isBuilt({ entity: { metadata, status } }: Item): boolean {
  return metadata.deletedAt === undefined && (status?.observedGeneration ?? 0) > 0;
}

/** Starts the checks, a few at a time. Skips entities that can no longer be checked, unless the user named the entity. */
async function startChecks(session: Session, items: readonly Item[], isNamed: boolean): Promise<CheckedItem[]> {
  const { client, project, world } = session;
  const started: CheckedItem[] = [];
  const queue = [...items];
  const work = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      try {
        const { metadata } = await client.drifts.check(project, item.entity.metadata.uid, { signal: world.signal });
        started.push({ item, operation: metadata?.name ?? "" });
      } catch (error) {
        const isGone = error instanceof Fault && ["not_found", "conflict"].includes(error.kind);
        if (isNamed || !isGone) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrent, items.length) }, work));
  return started.toSorted((a, b) => items.indexOf(a.item) - items.indexOf(b.item));
}

async function findAgain(session: Session, { item }: CheckedItem): Promise<Partial<CheckedItem>> {
  return { item: await getItem(session, { kind: item.kind, cluster: undefined, name: item.entity.metadata.uid }) };
}
