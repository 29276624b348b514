import type { Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";
import { addLazyCommands, type CommandEntry } from "../lazy-commands.ts";

const entries: readonly CommandEntry[] = [
  {
    name: "inventory",
    summary: "list what exists in a simulated cloud",
    load: async () => (await import("./sim/inventory.ts")).configureSimInventory,
  },
  {
    name: "drift",
    summary: "change a simulated resource behind Terraform's back",
    load: async () => (await import("./sim/drift.ts")).configureSimDrift,
  },
  {
    name: "delete",
    summary: "delete a simulated resource behind Terraform's back",
    load: async () => (await import("./sim/delete.ts")).configureSimDelete,
  },
  {
    name: "fail",
    summary: "let a call to a simulated cloud go wrong",
    load: async () => (await import("./sim/fail.ts")).configureSimFail,
  },
  {
    name: "faults",
    summary: "list what was planned to go wrong, or call it off",
    load: async () => (await import("./sim/faults.ts")).configureSimFaults,
  },
  {
    name: "throttle",
    summary: "let a simulated cloud answer only so many calls",
    load: async () => (await import("./sim/throttle.ts")).configureSimThrottle,
  },
  {
    name: "slow",
    summary: "set how fast time passes in a simulated cloud",
    load: async () => (await import("./sim/slow.ts")).configureSimSlow,
  },
  {
    name: "quota",
    summary: "show and set the quotas of a simulated cloud",
    load: async () => (await import("./sim/quota.ts")).configureSimQuota,
  },
  {
    name: "reset",
    summary: "empty a simulated cloud",
    load: async () => (await import("./sim/reset.ts")).configureSimReset,
  },
];

/** `cloud sim ...`: the clouds behind simulated accounts, and what shall go wrong there. */
export const configureSim: Configure = (command, context) => {
  addCommonFlags(command);
  addLazyCommands(command, entries, context);
};
