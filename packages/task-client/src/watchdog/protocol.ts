import type { ProcessMark } from "../process-table.ts";

/** An order of the agent to its watchdog. `lease` is the value in the environment of the children. Deadlines are in boot time. */
export type WatchdogOrder =
  | { readonly order: "guard"; readonly lease: string; readonly deadlineMs: number }
  | { readonly order: "child"; readonly lease: string; readonly mark: ProcessMark }
  | { readonly order: "ended"; readonly lease: string; readonly pid: number }
  | { readonly order: "release"; readonly lease: string };

/** An answer of the watchdog. */
export type WatchdogAnswer =
  | { readonly answer: "ready" }
  | { readonly answer: "child"; readonly lease: string; readonly pid: number; readonly accepted: boolean }
  | { readonly answer: "expired"; readonly lease: string };
