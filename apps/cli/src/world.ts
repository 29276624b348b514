import type { Clock } from "@cloudwright/platform/clock";
import type { Environment } from "@cloudwright/platform";

/** Where text goes. */
export interface Sink {
  readonly isTTY: boolean;
  write(text: string): void;
}

/** Where text comes from. */
export interface Source {
  readonly isTTY: boolean;
  /** Everything up to the end. */
  readAll(): Promise<string>;
  /** One line from a terminal; with `hidden` nothing of it is shown. */
  readLine(options: { hidden: boolean }): Promise<string>;
}

/** All that a command touches outside itself, so that a test can be the world. */
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
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Opens a file in an editor and resolves when it is closed; false when the editor failed. */
  edit(command: string, file: string): Promise<boolean>;
}
