import { Fault } from "@cloudwright/platform/fault";
import type { FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { resourceOf } from "../entities.ts";
import { renderPhase } from "../output/columns.ts";
import { itemName, type Item } from "../output/item.ts";
import { isStructured } from "../output/output.ts";
import { printDone } from "../output/print-items.ts";
import { renderFollowCommands, type OperationRef } from "./operation.ts";
import { findTrouble, readWait, waitForOperations } from "./wait.ts";

/** An entity as a change left it, and where it is. */
export interface Change {
  readonly item: Item;
  /** Where it is, when that is not the session's project. */
  readonly project?: string | undefined;
  /** The operation that carries it out; undefined when it needs no work. */
  readonly accepted?: string | undefined;
  /** `created`, `changed`: what was done. */
  readonly done: string;
}

/** Says what was done to one entity; with --wait only after the work for it has ended, and with the fault of work that failed. */
export async function conclude(session: Session, change: Change, flags: FlagValues): Promise<void> {
  const { trouble, items } = await settle(session, [change], flags);
  const [item = change.item] = items;
  await printDone(session, item, item === change.item ? change.done : renderEnd(item));
  if (trouble !== undefined) throw trouble;
}

/** Waits for the work of several changes if the flags ask for it, and answers the entities as they are then. */
export async function settle(
  session: Session,
  changes: readonly Change[],
  flags: FlagValues,
): Promise<{ items: readonly Item[]; trouble: Fault | undefined }> {
  const refs = changes.flatMap((change) => findOperation(session, change));
  const wait = readWait(flags);
  if (wait === undefined || refs.length === 0) {
    noteAccepted(session, changes);
    return { items: changes.map(({ item }) => item), trouble: undefined };
  }
  const [only] = changes;
  if (only !== undefined && changes.length === 1) noteBeside(session, `${itemName(only.item)} ${only.done}; waiting`);
  const ended = await waitForOperations(session, refs, wait);
  const items: Item[] = [];
  for (const change of changes) {
    items.push(findOperation(session, change).length === 0 ? change.item : await readAgain(session, change));
  }
  return { items, trouble: findTrouble(ended) };
}

/** Tells people how to follow work that nobody waits for. */
export function noteAccepted(session: Session, changes: readonly Change[]): void {
  const refs = changes.flatMap(({ accepted, project = session.project }) =>
    accepted === undefined ? [] : [{ project, name: accepted }],
  );
  if (refs.length > 0) noteBeside(session, `accepted; follow it with: ${renderFollowCommands(session, refs).join("; ")}`);
}

/** A line for people, where the result is not one for programs. */
function noteBeside({ output }: Session, text: string): void {
  if (!isStructured(output.format)) output.note(text);
}

/** The newest operation of an entity. It may be older than the change: whoever waits wants what was asked for before, too. */
function findOperation(session: Session, { item, project = session.project }: Change): OperationRef[] {
  const { operation } = item.entity.metadata;
  return operation === undefined || operation === "" ? [] : [{ project, name: operation }];
}

/** What was waited for as it is now; as it was when it is gone meanwhile. */
async function readAgain(session: Session, { item, project }: Change): Promise<Item> {
  const { signal } = session.world;
  try {
    const resource = resourceOf(session, item.kind, item.cluster, project);
    return { ...item, entity: await resource.get(item.entity.metadata.uid, { signal }) };
  } catch (error) {
    if (error instanceof Fault && error.kind === "not_found") return { ...item };
    throw error;
  }
}

function renderEnd(item: Item): string {
  return `is ${renderPhase(item) || "done"}`;
}
