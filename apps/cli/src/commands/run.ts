import type { Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";
import { addLazyCommands, type CommandEntry } from "../lazy-commands.ts";

const entries: readonly CommandEntry[] = [
  {
    name: "list",
    aliases: ["ls"],
    summary: "list runs, newest first",
    load: async () => (await import("./run/list.ts")).configureRunList,
  },
  {
    name: "get",
    summary: "show one run with its state, approvals and policy findings",
    load: async () => (await import("./run/get.ts")).configureRunGet,
  },
  {
    name: "plan",
    summary: "show the plan of a run, resource by resource",
    load: async () => (await import("./run/plan.ts")).configureRunPlan,
  },
  {
    name: "logs",
    summary: "print the log of a run",
    load: async () => (await import("./run/logs.ts")).configureRunLogs,
  },
  {
    name: "approve",
    summary: "approve this exact plan",
    load: async () => (await import("./run/approve.ts")).configureRunApprove,
  },
  {
    name: "discard",
    summary: "discard a plan that has not been applied; its operation then fails",
    load: async () => (await import("./run/discard.ts")).configureRunDiscard,
  },
  {
    name: "cancel",
    summary: "cancel the operation of a run",
    load: async () => (await import("./run/cancel.ts")).configureRunCancel,
  },
];

/** `cloud run ...`: shows, approves and discards Terraform runs. */
export const configureRun: Configure = (command, context) => {
  addCommonFlags(command);
  addLazyCommands(command, entries, context);
};
