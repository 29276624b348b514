import { Fault } from "@cloudwright/platform/fault";
import type { FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { resourceOf } from "../entities.ts";
import { renderPhase } from "../output/columns.ts";
import { itemName, type Item } from "../output/item.ts";
import { isStructured } from "../output/output.ts";
import { printDone } from "../output/print-items.ts";
import { renderFollowCommands, renderStanding, type Operation, type OperationRef } from "./operation.ts";
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
  const wait = readWait(flags);
  const awaited = wait === undefined ? [] : await Promise.all(changes.map((change) => findAwaited(session, change)));
  const refs = awaited.flat();
  if (wait === undefined || refs.length === 0) {
    noteAccepted(session, changes);
    return { items: changes.map(({ item }) => item), trouble: undefined };
  }
  const [only] = changes;
  if (only !== undefined && changes.length === 1) noteBeside(session, `${itemName(only.item)} ${only.done}; waiting`);
  const ended = await waitForOperations(session, refs, wait);
  const items: Item[] = [];
  for (const [index, change] of changes.entries()) {
    items.push(awaited[index]?.length === 0 ? change.item : await readAgain(session, change));
  }
  return { items, trouble: findTrouble(ended) };
}

/** Prints the commands to follow the operations that were started. */
export function noteAccepted(session: Session, changes: readonly Change[]): void {
  const refs = changes.flatMap(({ accepted, project = session.project }) =>
    accepted === undefined ? [] : [{ project, name: accepted }],
  );
  if (refs.length > 0) noteBeside(session, `accepted; follow progress with: ${renderFollowCommands(session, refs).join("; ")}`);
}

/** Prints a note, unless the output format is machine-readable. */
function noteBeside({ output }: Session, text: string): void {
  if (!isStructured(output.format)) output.note(text);
}

/**
 * Returns the operation to wait for: the one that this change started. If the change started none, returns an earlier operation that is
 * still open or did not succeed, because the entity has not reached the desired state yet.
 */
async function findAwaited(session: Session, { item, accepted, project = session.project }: Change): Promise<OperationRef[]> {
  if (accepted !== undefined) return [{ project, name: accepted }];
  const { operation: name } = item.entity.metadata;
  if (name === undefined || name === "") return [];
  const earlier = await findEarlier(session, { project, name });
  if (earlier === undefined || earlier.status?.state === "DONE") return [];
  noteBeside(
    session,
    `${itemName(item)}: no new operation was started; ${name} (${earlier.spec?.verb ?? "change"}) is ${renderStanding(earlier)}`,
  );
  return [{ project, name }];
}

async function findEarlier({ client, world }: Session, { project, name }: OperationRef): Promise<Operation | undefined> {
  try {
    return await client.operations.get(project, name, { signal: world.signal });
  } catch (error) {
    if (error instanceof Fault && error.kind === "not_found") return undefined;
    throw error;
  }
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
