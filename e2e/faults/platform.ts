import type pg from "pg";
import { compiledModules } from "../compiled-modules.ts";

/** A control plane that clients can reach. */
export interface PlatformServer {
  readonly address: string;
  /** Sends the signal to the server and restarts the server after `downMs`. Returns false if the server is not running. */
  end(signal: "SIGKILL" | "SIGTERM", downMs: number): boolean;
}

/** An agent that can be the target of faults. */
export interface PlatformAgent {
  readonly name: string;
  pid(): number | undefined;
  /** Sends a signal to the agent, which is restarted afterwards. Returns false if the agent is not running. */
  end(signal: "SIGKILL" | "SIGTERM", downMs: number): boolean;
  /** Task directory of the agent, if it is on a separate small disk. */
  readonly smallDisk: string | undefined;
}

/** All processes of one set-up, and methods that disrupt them. */
export interface FaultPlatform {
  readonly name: "embedded" | "replicas";
  /**
   * Directory for logs, the journal and home directories. It is also the HOME of every process of the platform, so that the tests can
   * identify these processes.
   */
  readonly directory: string;
  readonly journal: string;
  readonly adminKey: string;
  readonly servers: readonly PlatformServer[];
  agents(): readonly PlatformAgent[];
  /** Files through which the tests shift the clocks of processes. */
  readonly clocks: readonly string[];
  /** Stops or kills the database, depending on `mode`, and restarts it. */
  restartDatabase(mode: "fast" | "immediate" | "kill"): Promise<void>;
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Starts a second agent in the directory of a running one. Returns its exit code and output. */
  startTwin(): Promise<{ readonly code: number | null; readonly output: string }>;
  stop(): Promise<void>;
  /** Removes all files of the platform. */
  remove(): Promise<void>;
}

export const leaseSeconds = 6;
export const graceSeconds = 3;

/**
 * Returns the settings that the embedded and the replicated platform share. Leases are short, so that many faults fit into a minute. The
 * attempt limit is too high to be reached.
 */
export function renderSettings(directory: string, journal: string): Record<string, string | undefined> {
  return {
    HOME: directory,
    NODE_COMPILE_CACHE: compiledModules,
    CLOUDWRIGHT_LEASE_SECONDS: String(leaseSeconds),
    CLOUDWRIGHT_LEASE_GRACE_SECONDS: String(graceSeconds),
    CLOUDWRIGHT_TASK_ATTEMPTS: "50",
    CLOUDWRIGHT_REQUESTS_PER_SECOND: "100000",
    CLOUDWRIGHT_DEMO_HANDLERS: "1",
    CLOUDWRIGHT_DEMO_JOURNAL: journal,
    CLOUDWRIGHT_AGENT_CANCEL_SECONDS: "2",
    CLOUDWRIGHT_AGENT_STOP_SECONDS: "2",
    CLOUDWRIGHT_AGENT_SLOTS: "long=8,short=8",
  };
}
