import type { Clock } from "@cloudwright/platform";
import type { runTool } from "./run-tool.ts";

/** Dependencies of every part of a host. */
export interface HostDeps {
  /** Absolute path of the folder in which the host stores everything, such as records, images and disks. */
  readonly directory: string;
  readonly run: typeof runTool;
  readonly clock: Clock;
}
