import type { Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";
import { addLazyCommands, type CommandEntry } from "../lazy-commands.ts";

const entries: readonly CommandEntry[] = [
  {
    name: "list",
    aliases: ["ls"],
    summary: "list runs, the newest first",
    load: async () => (await import("./run/list.ts")).configureRunList,
  },
  {
    name: "get",
    summary: "show one run: where it stands, and what people and policies said of it",
    load: async () => (await import("./run/get.ts")).configureRunGet,
  },
  {
    name: "plan",
    summary: "show what a run wants to do, or did, resource by resource",
    load: async () => (await import("./run/plan.ts")).configureRunPlan,
  },
  {
    name: "logs",
    summary: "print what a run wrote while it planned and applied",
    load: async () => (await import("./run/logs.ts")).configureRunLogs,
  },
  {
    name: "approve",
    summary: "let exactly this plan be applied",
    load: async () => (await import("./run/approve.ts")).configureRunApprove,
  },
  {
    name: "discard",
    summary: "end a run that was not begun; its operation fails",
    load: async () => (await import("./run/discard.ts")).configureRunDiscard,
  },
  {
    name: "cancel",
    summary: "cancel the operation that a run belongs to",
    load: async () => (await import("./run/cancel.ts")).configureRunCancel,
  },
];

/** `cloud run ...`: one pass of Terraform for an entity each. */
export const configureRun: Configure = (command, context) => {
  addCommonFlags(command);
  addLazyCommands(command, entries, context);
};
