import type { Kind } from "@cloudwright/contract/kinds";
import type { Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";
import { verbLoaders } from "../command-table.ts";
import { addLazyCommands } from "../lazy-commands.ts";
import { hasVerb } from "../kinds/registry.ts";
import { verbAliases, verbs } from "../kinds/verbs.ts";

/** `cloud cluster ...`: adds the verbs of one kind. */
export const configureKind: Configure = (command, context) => {
  const { kind: name } = context.kind as Kind;
  addCommonFlags(command);
  const entries = verbs
    .filter(({ verb }) => hasVerb(name, verb))
    .map(({ verb, summary }) => ({ name: verb, aliases: verbAliases[verb] ?? [], summary, load: verbLoaders[verb] }));
  addLazyCommands(command, entries, context);
};
