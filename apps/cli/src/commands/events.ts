import type { EventJson } from "@cloudwright/api-client";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { getItem } from "../entities.ts";
import { addClusterFlag, checkKind, parseCount } from "../list-flags.ts";
import { eventColumns } from "../output/event-columns.ts";
import { isStructured } from "../output/output.ts";
import { createLiveTable } from "../output/table.ts";
import { parseReferences, requireVerb, type Named } from "../references.ts";

/** `cloud events [kind] [name]`: lists events, newest last. */
export const configureEvents: Configure = (command, context) => {
  const { kind } = context;
  if (kind === undefined) command.argument("[kind]", "a kind such as cluster, or KIND/NAME", checkKind);
  command.argument("[name]", "name or uid");
  addClusterFlag(command, kind);
  command
    .option("--filter <fields>", "show only events that match these fields, such as type=Warning,actor=ann")
    .option("--limit <number>", "number of most recent events to show (default: 100)", parseCount)
    .option("-w, --watch", "keep printing new events");
  addExamples(
    command,
    kind === undefined ? "cloud events" : `cloud ${kind.words[0]} events dev`,
    "cloud events --filter type=Warning",
    "cloud events cluster/dev --watch",
  );
  onServer(command, context, async (session, args, flags) => {
    const cluster = flags["cluster"] as string | undefined;
    const [named] = kind === undefined && args.length === 0 ? [] : parseReferences(kind, args, { cluster });
    const filter = await readFilter(session, named, flags["filter"] as string | undefined);
    const print = createPrinter(session);
    const first = await listNewest(session, filter, (flags["limit"] as number | undefined) ?? 100);
    await print(first, true);
    if (flags["watch"] === true) await follow(session, filter, new Set(first.map(({ uid }) => uid)), print);
  });
};

/** Builds the event filter for a named entity. Uses the uid, because a deleted entity and its successor can share a name. */
async function readFilter(session: Session, named: Named | undefined, given: string | undefined): Promise<string | undefined> {
  if (named === undefined) return given;
  requireVerb(named.kind, "events");
  const [reference] = named.references;
  const own =
    reference === undefined ? `kind=${named.kind.kind}` : `entityUid=${(await getItem(session, reference)).entity.metadata.uid}`;
  return given === undefined ? own : `${own},${given}`;
}

async function listNewest(session: Session, filter: string | undefined, limit: number): Promise<EventJson[]> {
  const events: EventJson[] = [];
  const pageSize = Math.min(limit, 1000);
  for await (const event of session.client.events.listAll(session.project, { filter, pageSize, signal: session.world.signal })) {
    if (events.push(event) >= limit) break;
  }
  return events.toReversed();
}

/** Watches the project's change stream. Each new event triggers another query, because only the server can apply the filter. */
async function follow(
  session: Session,
  filter: string | undefined,
  told: Set<string | undefined>,
  print: (events: readonly EventJson[], isFirst: boolean) => Promise<void>,
): Promise<void> {
  for await (const change of session.client.watchProject(session.project, { signal: session.world.signal })) {
    if (change.type !== "SYNCED" && change.kind !== "Event") continue;
    const fresh = (await listNewest(session, filter, 100)).filter(({ uid }) => !told.has(uid));
    for (const { uid } of fresh) told.add(uid);
    if (fresh.length > 0) await print(fresh, false);
  }
}

function createPrinter(session: Session): (events: readonly EventJson[], isFirst: boolean) => Promise<void> {
  const { output, world } = session;
  const table = createLiveTable(eventColumns({ nowMs: world.clock.now(), paint: output.paint, withEntity: true }));
  return async (events, isFirst) => {
    if (isStructured(output.format)) {
      if (isFirst) await output.structure({ items: events });
      else for (const event of events) output.line(JSON.stringify(event));
    } else if (output.format === "name")
      for (const { kind = "", name = "" } of events) output.line(`${kind.toLowerCase()}/${name}`);
    else if (events.length === 0) output.note(`no events in project ${session.project}`);
    else table(events).forEach(output.line);
  };
}
