import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { getItem } from "../entities.ts";
import { cliFaults } from "../faults.ts";
import { addKindArgument, addListFlags, readListFlags } from "../list-flags.ts";
import { getTimeline, renderOperation } from "../operations/describe-operation.ts";
import { toDocument, type Item } from "../output/item.ts";
import { isStructured } from "../output/output.ts";
import { printItems } from "../output/print-items.ts";
import { parseReferences, requireVerb } from "../references.ts";
import { markSimulated } from "../simulated.ts";
import { list } from "./list.ts";
import { followItems } from "./watch.ts";
import { hasTimeline } from "../kinds/registry.ts";

/** `cloud get cluster [names...]`, `cloud cluster get [names...]`: shows entities. */
export const configureGet: Configure = (command, context) => {
  const { kind } = context;
  addKindArgument(command, kind, "[names...]");
  addListFlags(command);
  command.option("-w, --watch", "watch for changes and print them");
  if (kind === undefined || hasTimeline(kind))
    command.option("--timeline", "for operations: show everything that happened, from the request to the last log line");
  const head = kind === undefined ? "cloud get cluster" : `cloud ${kind.words[0]} get`;
  addExamples(
    command,
    head,
    `${head} dev -o yaml`,
    `${head} dev --watch`,
    ...(kind === undefined ? ["cloud get cluster/dev network/main"] : []),
    ...(kind !== undefined && hasTimeline(kind) ? ["cloud operation get op-0123456789ab --timeline"] : []),
  );
  onServer(command, context, async (session, args, flags) => {
    const all = parseReferences(kind, args, { cluster: flags["cluster"] as string | undefined });
    const items: Item[] = [];
    for (const named of all) {
      requireVerb(named.kind, "get");
      if (named.references.length === 0) return list(session, named.kind, flags);
      for (const reference of named.references) items.push(await getItem(session, reference));
    }
    const [first] = items;
    if (flags["timeline"] === true && items.some((item) => !hasTimeline(item.kind)))
      throw new Fault(cliFaults.usage, "only operations have a timeline");
    if (flags["watch"] !== true && items.every((item) => hasTimeline(item.kind)))
      await printOperations(session, items, flags["timeline"] === true);
    else if (flags["watch"] !== true) {
      const isTable = ["table", "wide"].includes(session.output.format);
      await printItems(session, isTable ? await markSimulated(session, items) : items, { asList: items.length > 1 });
    } else if (first !== undefined) {
      const uids = new Set(items.map(({ entity }) => entity.metadata.uid));
      await followItems(session, first.kind, { ...readListFlags(flags), cluster: first.cluster }, uids);
    }
  });
};

/** Prints operations together with their steps, because users look up an operation to see its progress. */
async function printOperations(session: Session, items: readonly Item[], timeline: boolean): Promise<void> {
  const { output } = session;
  if (isStructured(output.format) && timeline) {
    for (const item of items) await output.structure({ ...toDocument(item), timeline: await getTimeline(session, item.entity) });
    return;
  }
  if (isStructured(output.format) || output.format === "name") return printItems(session, items, { asList: items.length > 1 });
  for (const item of items) {
    await printItems(session, [item], { asList: false });
    for (const line of await renderOperation(session, item.entity, { timeline })) output.line(line);
  }
}
