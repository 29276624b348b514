import type { JsonObject } from "@bufbuild/protobuf";
import type { TaskPayload, WorkFault, WorkOutcome } from "@cloudwright/contract";
import type { Secret } from "@cloudwright/platform";
import type { Readable, Writable } from "node:stream";

/** The task for which a handler is called. */
export interface HandlerTask {
  readonly uid: string;
  readonly project: string;
  /** For example `network.apply`. */
  readonly type: string;
  readonly entityKind: string;
  readonly entityUid: string;
  readonly entityName: string;
  readonly operation: string;
  /** Attempts so far, including this one. */
  readonly attempt: number;
  readonly payloadVersion: number;
}

/** Why a task failed, as a value. */
export type HandlerFault = WorkFault;

/** How a task ended. */
export type HandlerOutcome = WorkOutcome;

/** Options for starting a child process. */
export interface SpawnOptions {
  /** Default: the task's directory. */
  readonly cwd?: string;
  /** Added to the few variables that every child gets (PATH, HOME, proxies). Secrets belong here or into files, never into arguments. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a child process ended. */
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
  /** Resolves when the process has exited and its output was read. Never rejects. */
  readonly ended: Promise<ChildEnd>;
}

/** How Terraform reaches the state of the task's entity. Valid exactly as long as the lease is held. */
export interface StateEndpoint {
  readonly address: string;
  readonly lockAddress: string;
  readonly unlockAddress: string;
  readonly username: string;
  readonly password: Secret;
}

/** What a handler receives. */
export interface HandlerContext {
  readonly task: HandlerTask;
  readonly payload: TaskPayload;
  /** The payload as the server sent it, to hand on to another program. */
  readonly payloadJson: JsonObject;
  /** A directory for this task, removed when it ends. */
  readonly directory: string;
  /** True if an earlier agent process left this task unfinished. The directory contains what it left. */
  readonly resumed: boolean;
  /** Aborted when the task must stop. Children get SIGINT automatically, and SIGKILL if they take too long. */
  readonly signal: AbortSignal;
  /** Returns the milliseconds on which the work can rely from now. It grows with each heartbeat. */
  remainingMs(): number;
  log(line: string): void;
  /** Reports progress. `outputs` are results so far, if they are worth showing before the end. */
  progress(percent: number, message: string, outputs?: JsonObject): void;
  /**
   * Starts a program. Handlers must not start programs in any other way. It runs in its own process group, does nothing before the watchdog
   * knows it, and is killed before the lease can expire.
   */
  spawn(command: string, args: readonly string[], options?: SpawnOptions): Promise<TaskChild>;
  /** Requests access to the Terraform state of the entity. */
  openState(): Promise<StateEndpoint>;
  /** Requests the spec of the task's account with its current secrets. */
  openCredentials(): Promise<Secret<JsonObject>>;
  /** Hands over the cluster token that the task was to request. Outcomes are widely readable, but this is stored encrypted. */
  keepToken(token: Secret, expiresAt: Date): Promise<void>;
}

/** Runs one type of task. A thrown error becomes a failed outcome. A Fault that must not be retried becomes a permanent one. */
export type Handler = (context: HandlerContext) => Promise<HandlerOutcome>;
