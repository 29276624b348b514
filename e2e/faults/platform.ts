import type pg from "pg";

/** A server that clients can reach. */
export interface PlatformServer {
  readonly address: string;
  /** Ends the server for a while. */
  end(signal: "SIGKILL" | "SIGTERM", downMs: number): boolean;
}

/** An agent that faults can affect. */
export interface PlatformAgent {
  readonly name: string;
  pid(): number | undefined;
  /** Ends the agent for a while. */
  end(signal: "SIGKILL" | "SIGTERM", downMs: number): boolean;
  /** The task directories of the agent, if they are on a separate small disk. */
  readonly smallDisk: string | undefined;
}

/** All processes of one set-up, and the faults that they support. */
export interface FaultPlatform {
  readonly name: "embedded" | "replicas";
  /** The directory for logs, journal and homes. The environment of every process names it (HOME). */
  readonly directory: string;
  readonly journal: string;
  readonly adminKey: string;
  readonly servers: readonly PlatformServer[];
  agents(): readonly PlatformAgent[];
  /** The files with which clocks are shifted. */
  readonly clocks: readonly string[];
  /** Stops or kills the database, and waits until it runs again. */
  restartDatabase(mode: "fast" | "immediate" | "kill"): Promise<void>;
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Starts a second agent in the directory of a running one, and returns its exit code and output. */
  startTwin(): Promise<{ readonly code: number | null; readonly output: string }>;
  stop(): Promise<void>;
  /** Removes all files of the platform. */
  remove(): Promise<void>;
}

export const leaseSeconds = 6;
export const graceSeconds = 3;

/** Returns the settings of both set-ups. Leases are short to fit many faults into a minute, and attempts are unlimited. */
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
