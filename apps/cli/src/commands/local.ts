import type { Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";
import { addLazyCommands, type CommandEntry } from "../lazy-commands.ts";

const entries: readonly CommandEntry[] = [
  {
    name: "check",
    summary: "show whether this machine can be a host of a local account, and what is missing",
    load: async () => (await import("./local/check.ts")).configureLocalCheck,
  },
  {
    name: "clean",
    summary: "remove everything that the platform created on this machine as a host",
    load: async () => (await import("./local/clean.ts")).configureLocalClean,
  },
];

/** `cloud local ...`: works on the machine that it runs on, without a server. */
export const configureLocal: Configure = (command, context) => {
  addCommonFlags(command);
  addLazyCommands(command, entries, context);
};
