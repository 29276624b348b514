import type { Clock } from "@cloudwright/platform";
import type { runTool } from "./run-tool.ts";

/** What every part of a host works with. */
export interface HostDeps {
  /** Folder of everything that the host stores, such as records, images and disks. An absolute path. */
  readonly directory: string;
  readonly run: typeof runTool;
  readonly clock: Clock;
}
