import type { Clock } from "@cloudwright/platform";
import type { Binary } from "../binaries/binary.ts";
import type { TerraformEvent } from "../events/event.ts";
import type { Redactor } from "./redactor.ts";
import type { Spawn } from "./spawn.ts";
import type { Stopping } from "./stop-child.ts";

/** What every command of one working directory shares. */
export interface Session {
  readonly spawn: Spawn;
  readonly clock: Clock;
  readonly binary: Binary;
  readonly directory: string;
  /** Where the driver's own files are: plans, settings of the program. */
  readonly ownDirectory: string;
  /** Which state it is, by whatever address it is reached. */
  readonly stateId: string;
  /** The providers that run already. */
  readonly reattached: readonly string[];
  readonly longestPlanBytes: number;
  readonly logDirectory: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly redactor: Redactor;
  readonly stopping: Stopping;
  readonly lockTimeoutSeconds: number;
  readonly parallelism: number | undefined;
  readonly longestAnswerBytes: number;
  readonly onLine: (line: string) => void;
  readonly onEvent: (event: TerraformEvent) => void;
}
