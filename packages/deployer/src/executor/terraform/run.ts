import type { Terraform } from "@cloudwright/terraform";
import type { Cloud } from "../../cloud.ts";
import type { StateAccess } from "../../task.ts";

/** An initialised working directory, connected to the entity's state. */
export interface Run {
  readonly terraform: Terraform;
  readonly cloud: Cloud;
  readonly endpoint: StateAccess;
  /** The state is kept in a backend of the user's choice, not at the platform's endpoint. */
  readonly isExternal: boolean;
  /** Returns the newest state, or undefined if there is none. */
  readState(): Promise<string | undefined>;
  /** Initialises the same directory again, with exactly the providers of this lock file. */
  useLock(lockFile: string): Promise<Run>;
}
