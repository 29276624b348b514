import type pg from "pg";

/** A server as clients reach it. */
export interface PlatformServer {
  readonly address: string;
  /** Ends it for a while. */
  end(signal: "SIGKILL" | "SIGTERM", downMs: number): boolean;
}

/** An agent that can be hurt. */
export interface PlatformAgent {
  readonly name: string;
  pid(): number | undefined;
  /** Ends it for a while. */
  end(signal: "SIGKILL" | "SIGTERM", downMs: number): boolean;
  /** Where its tasks' directories are, when they lie on a disk of their own that is small. */
  readonly smallDisk: string | undefined;
}

/** Everything that runs in one set-up, and what can be done to it. */
export interface FaultPlatform {
  readonly name: "embedded" | "replicas";
  /** Logs, journal and homes; it is in the environment of everything that runs (HOME). */
  readonly directory: string;
  readonly journal: string;
  readonly adminKey: string;
  readonly servers: readonly PlatformServer[];
  agents(): readonly PlatformAgent[];
  /** The files that make clocks jump. */
  readonly clocks: readonly string[];
  /** What a database that is killed is killed with, and who starts it again. */
  restartDatabase(mode: "fast" | "immediate" | "kill"): Promise<void>;
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Starts an agent on the directory of one that runs, and gives what it printed at its end. */
  startTwin(): Promise<{ readonly code: number | null; readonly output: string }>;
  stop(): Promise<void>;
  /** Removes everything it has written. */
  remove(): Promise<void>;
}

export const leaseSeconds = 6;
export const graceSeconds = 3;

/** Settings that both set-ups share: leases are short, so that a minute holds many faults, and nothing fails for want of attempts. */
export function renderSettings(directory: string, journal: string): Record<string, string | undefined> {
  return {
    HOME: directory,
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
