import type { Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";
import { addLazyCommands, type CommandEntry } from "../lazy-commands.ts";

const entries: readonly CommandEntry[] = [
  {
    name: "list",
    aliases: ["ls"],
    summary: "list reports of what others changed, the newest first",
    load: async () => (await import("./drift/list.ts")).configureDriftList,
  },
  {
    name: "get",
    summary: "show one report, resource by resource",
    load: async () => (await import("./drift/get.ts")).configureDriftGet,
  },
  {
    name: "accept",
    summary: "take the changes as meant: from now on others may make them",
    load: async () => (await import("./drift/accept.ts")).configureDriftAccept,
  },
  {
    name: "correct",
    summary: "have the infrastructure put back as asked for",
    load: async () => (await import("./drift/correct.ts")).configureDriftCorrect,
  },
];

/** `cloud drift ...`: what somebody else changed in the infrastructure of entities. */
export const configureDrift: Configure = (command, context) => {
  addCommonFlags(command);
  addLazyCommands(command, entries, context);
};
