import type { Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";
import { addLazyCommands, type CommandEntry } from "../lazy-commands.ts";

const entries: readonly CommandEntry[] = [
  {
    name: "inventory",
    summary: "list the resources of a simulated cloud",
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
    summary: "inject a fault into a simulated cloud",
    load: async () => (await import("./sim/fail.ts")).configureSimFail,
  },
  {
    name: "faults",
    summary: "list or remove pending simulated faults",
    load: async () => (await import("./sim/faults.ts")).configureSimFaults,
  },
  {
    name: "throttle",
    summary: "throttle a simulated cloud",
    load: async () => (await import("./sim/throttle.ts")).configureSimThrottle,
  },
  {
    name: "slow",
    summary: "set the speed of a simulated cloud",
    load: async () => (await import("./sim/slow.ts")).configureSimSlow,
  },
  {
    name: "quota",
    summary: "show or set the quotas of a simulated cloud",
    load: async () => (await import("./sim/quota.ts")).configureSimQuota,
  },
  {
    name: "credentials",
    summary: "print credentials for the cloud's own command line and SDKs",
    load: async () => (await import("./sim/credentials.ts")).configureSimCredentials,
  },
  {
    name: "reset",
    summary: "empty a simulated cloud",
    load: async () => (await import("./sim/reset.ts")).configureSimReset,
  },
];

/** `cloud sim ...`: inspects simulated accounts and injects faults. */
export const configureSim: Configure = (command, context) => {
  addCommonFlags(command);
  addLazyCommands(command, entries, context);
};
