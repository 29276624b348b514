import { addExamples, onServer, type Configure } from "../command-context.ts";
import { getItem } from "../entities.ts";
import { addKindArgument, addListFlags, readListFlags } from "../list-flags.ts";
import type { Item } from "../output/item.ts";
import { printItems } from "../output/print-items.ts";
import { parseReferences, requireVerb } from "../references.ts";
import { list } from "./list.ts";
import { followItems } from "./watch.ts";

/** `cloud get cluster [names...]`, `cloud cluster get [names...]`. */
export const configureGet: Configure = (command, context) => {
  const { kind } = context;
  addKindArgument(command, kind, "[names...]");
  addListFlags(command);
  command.option("-w, --watch", "go on with changes as they happen");
  const head = kind === undefined ? "cloud get cluster" : `cloud ${kind.words[0]} get`;
  addExamples(
    command,
    head,
    `${head} dev -o yaml`,
    `${head} dev --watch`,
    ...(kind === undefined ? ["cloud get cluster/dev network/main"] : []),
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
    if (flags["watch"] !== true) await printItems(session, items, { asList: items.length > 1 });
    else if (first !== undefined) {
      const uids = new Set(items.map(({ entity }) => entity.metadata.uid));
      await followItems(session, first.kind, { ...readListFlags(flags), cluster: first.cluster }, uids);
    }
  });
};
