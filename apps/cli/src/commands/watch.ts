import type { ProjectWatchEvent } from "@cloudwright/api-client";
import { getKind, type Kind, type KindName } from "@cloudwright/contract/kinds";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { resourceOf } from "../entities.ts";
import { addKindArgument, addListFlags, checkKind, readListFlags } from "../list-flags.ts";
import { columnsOf, renderPhase } from "../output/columns.ts";
import { itemName, toDocument, type Item } from "../output/item.ts";
import { renderYaml } from "../output/output.ts";
import { createLiveTable, type Column } from "../output/table.ts";
import { parseReferences, requireVerb, type Named } from "../references.ts";
import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "../faults.ts";

/** `cloud watch [kind]`, `cloud cluster watch`: without a kind all of the project. */
export const configureWatch: Configure = (command, context) => {
  const { kind } = context;
  if (kind === undefined) command.argument("[kind]", "a kind such as cluster; all kinds when left out", checkKind);
  else addKindArgument(command, kind, "");
  if (kind === undefined) command.option("--cluster <name>", "the cluster whose node pools are meant");
  addListFlags(command);
  addExamples(command, kind === undefined ? "cloud watch" : `cloud ${kind.words[0]} watch`, "cloud watch clusters -o json");
  onServer(command, context, async (session, args, flags) => {
    const query = readListFlags(flags);
    if (kind === undefined && args.length === 0) return followItems(session, undefined, query);
    const [named] = parseReferences(kind, args);
    await followItems(session, (named as Named).kind, query);
  });
};

interface Change {
  readonly type: string;
  readonly item: Item;
}

interface Narrowing {
  readonly labelSelector?: string | undefined;
  readonly parent?: string | undefined;
  readonly cluster?: string | undefined;
}

/** Prints what exists, then every change until interrupted. Without a kind: all kinds of the project. */
export async function followItems(
  session: Session,
  kind: Kind | undefined,
  query: Narrowing,
  uids?: ReadonlySet<string>,
): Promise<void> {
  if (kind !== undefined) requireVerb(kind, "watch");
  if (kind?.kind === "NodePool" && query.cluster === undefined) {
    throw new Fault(cliFaults.cluster_needed, "node pools are watched one cluster at a time");
  }
  const options = {
    ...(query.labelSelector === undefined ? {} : { labelSelector: query.labelSelector }),
    ...(query.parent === undefined ? {} : { parent: query.parent }),
    signal: session.world.signal,
    onReconnect: (fault: Fault) => session.output.note(`connection lost (${fault.message}); trying again`),
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
