import type { ProcessMark } from "../process-table.ts";

/**
 * A message from the agent to the watchdog. `lease` is the identifier in the environment of the child processes. Deadlines are boot times
 * in milliseconds.
 */
export type WatchdogOrder =
  | { readonly order: "guard"; readonly lease: string; readonly deadlineMs: number }
  | { readonly order: "child"; readonly lease: string; readonly mark: ProcessMark }
  | { readonly order: "ended"; readonly lease: string; readonly pid: number }
  | { readonly order: "release"; readonly lease: string };

/** A message from the watchdog to the agent. */
export type WatchdogAnswer =
  | { readonly answer: "ready" }
  | { readonly answer: "child"; readonly lease: string; readonly pid: number; readonly accepted: boolean }
  | { readonly answer: "expired"; readonly lease: string };
