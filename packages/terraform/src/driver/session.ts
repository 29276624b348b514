import type { Clock } from "@cloudwright/platform";
import type { Binary } from "../binaries/binary.ts";
import type { TerraformEvent } from "../events/event.ts";
import type { Redactor } from "./redactor.ts";
import type { Spawn } from "./spawn.ts";
import type { Stopping } from "./stop-child.ts";

/** Context that all commands in one working directory share. */
export interface Session {
  readonly spawn: Spawn;
  readonly clock: Clock;
  readonly binary: Binary;
  readonly directory: string;
  /** Directory for the driver's own files: plans and CLI configuration. */
  readonly ownDirectory: string;
  /** Identifies the state, regardless of the endpoint's host. */
  readonly stateId: string;
  /** Source addresses of providers that are already running. */
  readonly reattached: readonly string[];
  readonly longestPlanBytes: number;
  readonly logDirectory: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly redactor: Redactor;
  readonly stopping: Stopping;
  readonly lockTimeoutSeconds: number;
  readonly parallelism: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly longestAnswerBytes: number;
  readonly onLine: (line: string) => void;
  readonly onEvent: (event: TerraformEvent) => void;
}
