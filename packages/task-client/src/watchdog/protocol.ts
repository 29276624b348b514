import type { ProcessMark } from "../process-table.ts";

/** What an agent tells its watchdog. `lease` is what the children carry in their environment; deadlines are in boot time. */
export type WatchdogOrder =
  | { readonly order: "guard"; readonly lease: string; readonly deadlineMs: number }
  | { readonly order: "child"; readonly lease: string; readonly mark: ProcessMark }
  | { readonly order: "ended"; readonly lease: string; readonly pid: number }
  | { readonly order: "release"; readonly lease: string };

/** What the watchdog answers. */
export type WatchdogAnswer =
  | { readonly answer: "ready" }
  | { readonly answer: "child"; readonly lease: string; readonly pid: number; readonly accepted: boolean }
  | { readonly answer: "expired"; readonly lease: string };
