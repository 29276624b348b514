import type { Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";
import { addLazyCommands, type CommandEntry } from "../lazy-commands.ts";

const entries: readonly CommandEntry[] = [
  {
    name: "list",
    aliases: ["ls"],
    summary: "list states with their newest versions and locks",
    load: async () => (await import("./state/list.ts")).configureStateList,
  },
  {
    name: "versions",
    summary: "list the versions of a state, newest first",
    load: async () => (await import("./state/versions.ts")).configureStateVersions,
  },
  {
    name: "resources",
    summary: "list the resources in a state with their ids",
    load: async () => (await import("./state/resources.ts")).configureStateResources,
  },
  {
    name: "diff",
    summary: "show the differences between two versions",
    load: async () => (await import("./state/diff.ts")).configureStateDiff,
  },
  {
    name: "pull",
    summary: "print a state, including secrets",
    load: async () => (await import("./state/pull.ts")).configureStatePull,
  },
  {
    name: "rollback",
    summary: "restore an earlier version",
    load: async () => (await import("./state/rollback.ts")).configureStateRollback,
  },
  {
    name: "unlock",
    summary: "remove a lock",
    load: async () => (await import("./state/unlock.ts")).configureStateUnlock,
  },
  {
    name: "adopt",
    summary: "add one existing resource to a state",
    load: async () => (await import("./state/adopt.ts")).configureStateAdopt,
  },
  {
    name: "forget",
    summary: "remove one resource from a state; it stays in the cloud",
    load: async () => (await import("./state/forget.ts")).configureStateForget,
  },
];

/** `cloud state ...`: shows and manages Terraform states. */
export const configureState: Configure = (command, context) => {
  addCommonFlags(command);
  addLazyCommands(command, entries, context);
};
