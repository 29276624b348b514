import type { JsonObject } from "@bufbuild/protobuf";
import type { TaskPayload, WorkFault, WorkOutcome } from "@cloudwright/contract";
import type { Secret } from "@cloudwright/platform";
import type { Readable, Writable } from "node:stream";

/** The task that a handler is called for. */
export interface HandlerTask {
  readonly uid: string;
  readonly project: string;
  /** For example `network.apply`. */
  readonly type: string;
  readonly entityKind: string;
  readonly entityUid: string;
  readonly entityName: string;
  readonly operation: string;
  /** Number of attempts so far, including this one. */
  readonly attempt: number;
  readonly payloadVersion: number;
}

export type HandlerFault = WorkFault;

export type HandlerOutcome = WorkOutcome;

export interface SpawnOptions {
  /** Default: the task's directory. */
  readonly cwd?: string;
  /**
   * Extra environment variables. Every child also gets PATH, HOME and the proxy settings. Pass secrets here or in files, never as
   * arguments.
   */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running child process in its own process group. */
export interface TaskChild {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process has exited and its output has been read. Never rejects. */
  readonly ended: Promise<ChildEnd>;
}

/** Addresses and credentials for the Terraform state of the task's entity. They are valid only while the lease is held. */
export interface StateEndpoint {
  readonly address: string;
  readonly lockAddress: string;
  readonly unlockAddress: string;
  readonly username: string;
  readonly password: Secret;
  /** Resources that must not be adopted again, because users told the platform to forget them. */
  readonly forgotten?: readonly { readonly type: string; readonly id: string }[];
  /** The external state backend that the entity may use. Absent if the platform stores the state. */
  readonly backend?: StateBackend;
  /** The entity's secrets, keyed by field path. Absent if it has none. */
  readonly secrets?: Secret<Readonly<Record<string, string>>>;
  /** The secrets that other entities lend to the entity. Absent if there are none. */
  readonly lent?: Secret<readonly LentSecrets[]>;
}

/** The secrets of an entity that the task's entity refers to, keyed by field path. */
export interface LentSecrets {
  readonly kind: string;
  readonly name: string;
  readonly secrets: Readonly<Record<string, string>>;
}

/** An external state backend. `secrets` is keyed by environment variable. */
export interface StateBackend {
  readonly name: string;
  readonly type: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, Secret>>;
}

/** Everything that a handler needs to run a task. */
export interface HandlerContext {
  readonly task: HandlerTask;
  readonly payload: TaskPayload;
  /** The payload as the server sent it, for handlers that pass it to another program. */
  readonly payloadJson: JsonObject;
  /** The task's directory, which is deleted when the task ends. */
  readonly directory: string;
  /** True if an earlier agent process left the task unfinished. The directory then contains the files of that attempt. */
  readonly resumed: boolean;
  /** Aborted when the task must stop. Child processes get SIGINT automatically, and SIGKILL after a grace period. */
  readonly signal: AbortSignal;
  /** Returns the number of milliseconds until the lease must be given up. Heartbeats extend this time. */
  remainingMs(): number;
  log(line: string): void;
  /** Reports progress. `outputs` contains intermediate results to show before the task ends. */
  progress(percent: number, message: string, outputs?: JsonObject): void;
  /**
   * Starts a program. Handlers must not start programs in any other way. The program runs in its own process group, waits until the
   * watchdog has registered it, and is killed before the lease can expire.
   */
  spawn(command: string, args: readonly string[], options?: SpawnOptions): Promise<TaskChild>;
  /** Requests access to the entity's Terraform state. */
  openState(): Promise<StateEndpoint>;
  /** Requests the spec of the task's account, including its current secrets. */
  openCredentials(): Promise<Secret<JsonObject>>;
  /** Sends a cluster token to the server, which stores it encrypted. Tokens must not be part of outcomes, which many users can read. */
  keepToken(token: Secret, expiresAt: Date): Promise<void>;
}

/** Runs tasks of certain types. A thrown error becomes a failed outcome. A fault with `retry: "never"` becomes a permanent failure. */
export type Handler = (context: HandlerContext) => Promise<HandlerOutcome>;
