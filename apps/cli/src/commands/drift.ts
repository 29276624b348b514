import type { Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";
import { addLazyCommands, type CommandEntry } from "../lazy-commands.ts";

const entries: readonly CommandEntry[] = [
  {
    name: "check",
    summary: "compare the cloud resources of one or all entities with what was applied",
    load: async () => (await import("./drift/check.ts")).configureDriftCheck,
  },
  {
    name: "list",
    aliases: ["ls"],
    summary: "list drift reports, newest first",
    load: async () => (await import("./drift/list.ts")).configureDriftList,
  },
  {
    name: "get",
    summary: "show one drift report, resource by resource",
    load: async () => (await import("./drift/get.ts")).configureDriftGet,
  },
  {
    name: "accept",
    summary: "accept the changes by adding them to the entity's ignore rules",
    load: async () => (await import("./drift/accept.ts")).configureDriftAccept,
  },
  {
    name: "correct",
    summary: "restore the infrastructure to the desired state",
    load: async () => (await import("./drift/correct.ts")).configureDriftCorrect,
  },
];

/** `cloud drift ...`: checks for, lists, accepts and corrects changes made outside of Cloudwright. */
export const configureDrift: Configure = (command, context) => {
  addCommonFlags(command);
  addLazyCommands(command, entries, context);
};
