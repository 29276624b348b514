import type { ProjectWatchEvent } from "@cloudwright/api-client";
import { getKind, isNamedBelow, type Kind, type KindName } from "@cloudwright/contract/kinds";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { getItem, resourceOf } from "../entities.ts";
import { addClusterFlag, addListFlags, checkKind, readListFlags } from "../list-flags.ts";
import { addTimeoutFlag, findTrouble, waitForOperations } from "../operations/wait.ts";
import { columnsOf, renderPhase } from "../output/columns.ts";
import { itemName, toDocument, type Item } from "../output/item.ts";
import { renderYaml } from "../output/output.ts";
import { printItems } from "../output/print-items.ts";
import { createLiveTable, type Column } from "../output/table.ts";
import { parseReferences, requireVerb, type Reference } from "../references.ts";
import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "../faults.ts";
import { hasTimeline } from "../kinds/registry.ts";

/** `cloud watch [kind]`, `cloud cluster watch`: follows changes. Without a kind, follows all kinds in the project. */
export const configureWatch: Configure = (command, context) => {
  const { kind } = context;
  if (kind === undefined) command.argument("[kind]", "a kind such as cluster, or KIND/NAME (default: all kinds)", checkKind);
  command.argument("[names...]", "names or uids; named operations are followed until they end");
  addClusterFlag(command, kind);
  addListFlags(command);
  if (kind === undefined || hasTimeline(kind)) addTimeoutFlag(command, "no limit");
  addExamples(
    command,
    kind === undefined ? "cloud watch" : `cloud ${kind.words[0]} watch`,
    ...(kind !== undefined && hasTimeline(kind) ? ["cloud operation watch op-0123456789ab"] : ["cloud watch clusters -o json"]),
  );
  onServer(command, context, async (session, args, flags) => {
    const query = readListFlags(flags);
    if (kind === undefined && args.length === 0) return followItems(session, undefined, query);
    const [named, ...others] = parseReferences(kind, args, { cluster: query.cluster });
    if (named === undefined || others.length > 0) throw new Fault(cliFaults.usage, "only one kind can be watched at a time");
    if (named.references.length === 0) return followItems(session, named.kind, query);
    if (hasTimeline(named.kind)) return followToEnd(session, named.references, flags["timeout"] as number | undefined);
    const items: Item[] = [];
    for (const reference of named.references) items.push(await getItem(session, reference));
    const uids = new Set(items.map(({ entity }) => entity.metadata.uid));
    await followItems(session, named.kind, { ...query, cluster: items[0]?.cluster }, uids);
  });
};

/** Follows operations until they end. Throws if any of them failed or was cancelled. */
async function followToEnd(session: Session, references: readonly Reference[], timeoutMs: number | undefined): Promise<void> {
  // Reads the operations once before waiting, so that a mistyped name fails immediately.
  for (const reference of references) await getItem(session, reference);
  const refs = references.map(({ name }) => ({ project: session.project, name }));
  const ended = await waitForOperations(session, refs, { timeoutMs });
  const items = ended.map((entity) => ({ kind: getKind("Operation"), entity }));
  if (session.output.isChosen) await printItems(session, items, { asList: items.length > 1 });
  else for (const item of items) session.output.done(`${itemName(item)} is ${renderPhase(item)}`);
  const trouble = findTrouble(ended);
  if (trouble !== undefined) throw trouble;
}

interface Change {
  readonly type: string;
  readonly item: Item;
}

interface Narrowing {
  readonly labelSelector?: string | undefined;
  readonly parent?: string | undefined;
  readonly cluster?: string | undefined;
}

/** Prints the existing entities, then every change until interrupted. If `kind` is undefined, covers all kinds in the project. */
export async function followItems(
  session: Session,
  kind: Kind | undefined,
  query: Narrowing,
  uids?: ReadonlySet<string>,
): Promise<void> {
  if (kind !== undefined) requireVerb(kind, "watch");
  if (kind !== undefined && isNamedBelow(kind) && query.cluster === undefined) {
    throw new Fault(cliFaults.cluster_needed, "watching node pools requires a cluster: --cluster NAME");
  }
  const options = {
    ...(query.labelSelector === undefined ? {} : { labelSelector: query.labelSelector }),
    ...(query.parent === undefined ? {} : { parent: query.parent }),
    signal: session.world.signal,
    onReconnect: (fault: Fault) => session.output.note(`connection lost (${fault.message}); reconnecting`),
  };
  const events: AsyncIterable<ProjectWatchEvent> =
    kind === undefined
      ? session.client.watchProject(session.project, options)
      : resourceOf(session, kind, query.cluster).watch(options);
  const print = createPrinter(session, kind);
  let existing: Change[] | undefined = [];
  for await (const event of events) {
    if (event.type === "SYNCED") {
      await print(existing ?? []);
      existing = undefined;
    } else if (event.kind === "Event") continue;
    else if (uids === undefined || uids.has(event.object.metadata.uid)) {
      const item = { kind: getKind(event.kind), cluster: query.cluster, entity: event.object };
      if (existing !== undefined) existing.push({ type: event.type, item });
      else await print([{ type: event.type, item }]);
    }
  }
}

function createPrinter(session: Session, kind: Kind | undefined): (changes: readonly Change[]) => Promise<void> {
  const { output, world } = session;
  if (output.format === "table" || output.format === "wide") {
    const shown = { nowMs: world.clock.now(), wide: output.format === "wide", paint: output.paint };
    const own = kind === undefined ? mixedColumns : columnsOf(kind.kind as KindName, shown);
    const columns: Column<Change>[] = [
      { title: "EVENT", value: ({ type }) => type },
      ...own.map((column) => ({ ...column, value: ({ item }: Change) => column.value(item) })),
    ];
    const table = createLiveTable(columns);
    return async (changes) => table(changes).forEach(output.line);
  }
  return async (changes) => {
    for (const { type, item } of changes) {
      if (output.format === "name") output.line(itemName(item));
      else if (output.format === "json") output.line(JSON.stringify({ type, object: toDocument(item) }));
      else if (output.format === "yaml") output.line(`---\n${(await renderYaml({ type, object: toDocument(item) })).trimEnd()}`);
      else await output.structure(toDocument(item));
    }
  };
}

const mixedColumns: readonly Column<Item>[] = [
  { title: "KIND", value: ({ kind }) => kind.kind },
  { title: "NAME", value: ({ entity }) => entity.metadata.name },
  { title: "PHASE", value: renderPhase },
  { title: "WAITING FOR", value: ({ entity }) => entity.status?.message ?? "" },
];
