import type { JsonObject } from "@bufbuild/protobuf";
import type { TaskPayload } from "@cloudwright/contract";
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
  /** Attempts so far, this one included. */
  readonly attempt: number;
  readonly payloadVersion: number;
}

/** Why a task failed, as a value. */
export interface HandlerFault {
  /** `room.reason`. */
  readonly code: string;
  readonly message: string;
  readonly help?: string;
  /** True when trying again cannot help. */
  readonly permanent?: boolean;
  readonly retryAfterMs?: number;
  /** What is left in the cloud, one item each: `kind id: why`. */
  readonly left?: readonly string[];
}

/** How a task ended. */
export type HandlerOutcome =
  | { readonly outcome: "done"; readonly outputs?: JsonObject }
  | { readonly outcome: "failed"; readonly fault: HandlerFault; readonly outputs?: JsonObject }
  | { readonly outcome: "cancelled" };

/** How a child is started. */
export interface SpawnOptions {
  /** The task's directory unless said. */
  readonly cwd?: string;
  /** Beside the few variables that every child gets (PATH, HOME, proxies). Secrets go here or into files, never into arguments. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a child ended. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running child, in a process group of its own. */
export interface TaskChild {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it has ended and its output was read; never rejects. */
  readonly ended: Promise<ChildEnd>;
}

/** How Terraform reaches the state of the task's entity; good for exactly as long as the lease is held. */
export interface StateDoor {
  readonly address: string;
  readonly lockAddress: string;
  readonly unlockAddress: string;
  readonly username: string;
  readonly password: Secret;
}

/** What a handler is given. */
export interface HandlerContext {
  readonly task: HandlerTask;
  readonly payload: TaskPayload;
  /** The payload as the server sent it, to hand on to another program. */
  readonly payloadJson: JsonObject;
  /** A directory of the task's own, gone after its end. */
  readonly directory: string;
  /** True when an agent that ended has left this task half done: the directory holds what it left. */
  readonly resumed: boolean;
  /** Aborted when the task is to stop. Children get SIGINT by themselves, and SIGKILL when they take too long. */
  readonly signal: AbortSignal;
  /** Milliseconds that the work can rely on, from now; it grows with each heartbeat. */
  remainingMs(): number;
  log(line: string): void;
  /** How far the work is; `outputs` are what it has produced so far, where that is worth showing before its end. */
  progress(percent: number, message: string, outputs?: JsonObject): void;
  /**
   * Starts a program: the only way a handler may. It runs in its own group, does nothing before the watchdog knows it, and is
   * killed before the lease can expire.
   */
  spawn(command: string, args: readonly string[], options?: SpawnOptions): Promise<TaskChild>;
  /** Asks for access to the Terraform state of the entity. */
  openState(): Promise<StateDoor>;
  /** Asks for the spec of the task's account with its secrets, as they are set now. */
  openCredentials(): Promise<Secret<JsonObject>>;
  /** Hands over the token that the task was to ask a cluster for. What is in an outcome is read by many; this rests sealed. */
  keepToken(token: Secret, expiresAt: Date): Promise<void>;
}

/** Does one type of task. What it throws becomes a failed outcome; a Fault that is never to be retried a permanent one. */
export type Handler = (context: HandlerContext) => Promise<HandlerOutcome>;
