import type { Clock } from "@cloudwright/platform/clock";
import type { Environment } from "@cloudwright/platform";

export interface Sink {
  readonly isTTY: boolean;
  write(text: string): void;
}

export interface Source {
  readonly isTTY: boolean;
  /** Reads until the end of input. */
  readAll(): Promise<string>;
  /** Reads one line from a terminal. With `hidden`, the input is not echoed. */
  readLine(options: { hidden: boolean }): Promise<string>;
}

/** Everything outside the process that a command uses. Tests replace it. */
export interface World {
  readonly environment: Environment;
  /** The home directory, from CLOUDWRIGHT_HOME. */
  readonly home: string;
  readonly version: string;
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Opens a file in an editor and waits until the editor is closed. Returns false if the editor failed. */
  edit(command: string, file: string): Promise<boolean>;
  /** Runs a program on the user's terminal and returns its exit code. Returns undefined if the program does not exist. */
  run(program: string, args: readonly string[]): Promise<number | undefined>;
}
