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

/** The result of a change to an entity. */
export interface Change {
  readonly item: Item;
  /** The entity's project, if it differs from the session's. */
  readonly project?: string | undefined;
  /** The operation that carries out the change, or undefined if no work is needed. */
  readonly accepted?: string | undefined;
  /** The past participle to print, such as `created` or `changed`. */
  readonly done: string;
}

/** Prints the result of a change to one entity. With `--wait`, first waits for the operation and throws if it failed. */
export async function conclude(session: Session, change: Change, flags: FlagValues): Promise<void> {
  const { trouble, items } = await settle(session, [change], flags);
  const [item = change.item] = items;
  await printDone(session, item, item === change.item ? change.done : renderEnd(item));
  if (trouble !== undefined) throw trouble;
}

/** With `--wait`, waits for the operations of several changes. Returns the entities in their latest state. */
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

/** Prints the commands to follow the operations that were started. */
export function noteAccepted(session: Session, changes: readonly Change[]): void {
  const refs = changes.flatMap(({ accepted, project = session.project }) =>
    accepted === undefined ? [] : [{ project, name: accepted }],
  );
  if (refs.length > 0) noteBeside(session, `accepted; follow it with: ${renderFollowCommands(session, refs).join("; ")}`);
}

/** Prints a note, unless the output format is meant for programs. */
function noteBeside({ output }: Session, text: string): void {
  if (!isStructured(output.format)) output.note(text);
}

/** Returns the entity's newest operation. It may be older than this change, because waiting includes earlier changes. */
function findOperation(session: Session, { item, project = session.project }: Change): OperationRef[] {
  const { operation } = item.entity.metadata;
  return operation === undefined || operation === "" ? [] : [{ project, name: operation }];
}

/** Fetches an entity again after waiting. Returns the previous version if the entity was deleted. */
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
