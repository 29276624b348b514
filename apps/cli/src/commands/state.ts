import type { Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";
import { addLazyCommands, type CommandEntry } from "../lazy-commands.ts";

const entries: readonly CommandEntry[] = [
  {
    name: "list",
    aliases: ["ls"],
    summary: "list states, their newest versions and locks",
    load: async () => (await import("./state/list.ts")).configureStateList,
  },
  {
    name: "versions",
    summary: "list the versions of a state, the newest first",
    load: async () => (await import("./state/versions.ts")).configureStateVersions,
  },
  {
    name: "diff",
    summary: "show which resources differ between two versions",
    load: async () => (await import("./state/diff.ts")).configureStateDiff,
  },
  {
    name: "pull",
    summary: "print a state, secrets included",
    load: async () => (await import("./state/pull.ts")).configureStatePull,
  },
  {
    name: "rollback",
    summary: "bring an earlier version back",
    load: async () => (await import("./state/rollback.ts")).configureStateRollback,
  },
  {
    name: "unlock",
    summary: "take a lock away",
    load: async () => (await import("./state/unlock.ts")).configureStateUnlock,
  },
];

/** `cloud state ...`: what Terraform knows of each entity's infrastructure. */
export const configureState: Configure = (command, context) => {
  addCommonFlags(command);
  addLazyCommands(command, entries, context);
};
