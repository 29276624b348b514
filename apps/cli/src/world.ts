import type { Clock } from "@cloudwright/platform/clock";
import type { Environment } from "@cloudwright/platform";

/** An output stream. */
export interface Sink {
  readonly isTTY: boolean;
  write(text: string): void;
}

/** An input stream. */
export interface Source {
  readonly isTTY: boolean;
  /** Reads everything up to the end. */
  readAll(): Promise<string>;
  /** Reads one line from a terminal. With `hidden` the input is not shown. */
  readLine(options: { hidden: boolean }): Promise<string>;
}

/** Everything that a command uses outside of itself. Tests replace it. */
export interface World {
  readonly environment: Environment;
  /** CLOUDWRIGHT_HOME. */
  readonly home: string;
  readonly version: string;
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Opens a file in an editor and resolves when it is closed. Returns false if the editor failed. */
  edit(command: string, file: string): Promise<boolean>;
}
