import type { Configure } from "../command-context.ts";
import { addExamples, onServer, type FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { listItems } from "../entities.ts";
import { addKindArgument, addListFlags, readListFlags } from "../list-flags.ts";
import type { Item } from "../output/item.ts";
import { printItems } from "../output/print-items.ts";
import { parseReferences, requireVerb, type Named } from "../references.ts";
import { systemProject, type Kind } from "@cloudwright/contract/kinds";
import { markSimulated } from "../simulated.ts";
import { followItems } from "./watch.ts";
import { cliKindOf } from "../kinds/registry.ts";

/** `cloud list clusters`, `cloud cluster list`: lists entities. */
export const configureList: Configure = (command, context) => {
  const { kind } = context;
  addKindArgument(command, kind, "");
  addListFlags(command);
  command.option("-w, --watch", "watch for changes and print them");
  const word = kind?.words[0] ?? "cluster";
  const head = kind === undefined ? `cloud list ${word}` : `cloud ${word} list`;
  addExamples(command, head, `${head} -l tier=prod -o wide`, `${head} -o jsonpath='{.items[*].metadata.name}'`);
  onServer(command, context, async (session, args, flags) => {
    const [named] = parseReferences(kind, kind === undefined ? args : []);
    await list(session, (named as Named).kind, flags);
  });
};

export async function list(session: Session, kind: Kind, flags: FlagValues): Promise<void> {
  requireVerb(kind, "list");
  const query = readListFlags(flags);
  if (flags["watch"] === true) return followItems(session, kind, query);
  const items: Item[] = [];
  for await (const item of listItems(session, kind, query)) items.push(item);
  const isTable = ["table", "wide"].includes(session.output.format);
  await printItems(session, isTable ? await markSimulated(session, items) : items, { asList: true });
  if (items.length === 0 && session.output.format !== "json" && session.output.format !== "yaml") {
    const where = kind.scope === "global" ? "" : ` in project ${session.project}`;
    const { emptyHint } = cliKindOf(kind);
    const also = emptyHint !== undefined && session.project !== systemProject ? `; ${emptyHint}` : "";
    session.output.note(`no ${kind.collection}${where}${also}`);
  }
}
