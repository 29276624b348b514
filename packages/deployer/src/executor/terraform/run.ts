import type { Terraform } from "@cloudwright/terraform";
import type { Cloud } from "../../cloud.ts";
import type { StateAccess } from "../../task.ts";

/** An initialised working directory, connected to the entity's state. */
export interface Run {
  readonly terraform: Terraform;
  readonly cloud: Cloud;
  readonly endpoint: StateAccess;
  /** True if an external backend stores the state instead of the platform. */
  readonly isExternal: boolean;
  /** Returns the latest state, or undefined if there is none. */
  readState(): Promise<string | undefined>;
  /** Initialises the directory again with exactly the provider versions in the lock file. */
  useLock(lockFile: string): Promise<Run>;
}
