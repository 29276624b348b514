import { createLogger, Secret, systemClock, type Clock, type Logger, type LogLevel } from "@cloudwright/platform";
import { createPool, createSignal, type Connection, type KeyRing, type Pool } from "@cloudwright/store";
import type { Listen } from "./addresses.ts";
import { protectPrototypes } from "./protect-prototypes.ts";
import { pong } from "./supervise-process.ts";

/** Settings that the control plane sends to a simulation process. */
export interface ProcessSettings {
  readonly connection: Connection;
  readonly primaryKey: string;
  readonly keys: readonly (readonly [id: string, key: Uint8Array])[];
  readonly listen: Listen | undefined;
  /** The file in which the process records the cluster or account that it is working for. */
  readonly traceFile: string | undefined;
  readonly logLevel: LogLevel;
}

/** The dependencies of a simulation process. */
export interface ProcessDeps {
  readonly pool: Pool;
  readonly keyRing: KeyRing;
  readonly clock: Clock;
  readonly log: Logger;
  readonly changes: ReturnType<typeof createSignal>;
  /** The file in which the process records the cluster or account that it is working for. */
  readonly traceFile: string | undefined;
}

/** Runs a process that the control plane supervises: receives its settings, answers pings, and serves until it is told to stop. */
export async function runProcess(
  name: string,
  serve: (deps: ProcessDeps, listen: Listen | undefined, signal: AbortSignal) => Promise<void>,
): Promise<never> {
  protectPrototypes();
  const stop = new AbortController();
  const send = (message: string): void => void process.send?.(message, () => undefined);
  // A terminal or a service manager signals all processes of a service. The control plane decides when this process ends.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  process.once("disconnect", () => process.exit());

  const received = Promise.withResolvers<ProcessSettings>();
  process.on("message", (message) => {
    if (message === "stop") stop.abort();
    else if (message === "ping") send(pong);
    else received.resolve(message as ProcessSettings);
  });
  const { connection, primaryKey, keys, listen, traceFile, logLevel } = await received.promise;
  send("started");

  const log = createLogger({ level: logLevel, name });
  // An unexpected error affects only one request or cluster. The error must not end the process, which also serves other requests and
  // clusters.
  process.on("unhandledRejection", (error) => log.error({ err: error }, "unexpected error in the simulation"));
  const keyRing = { primary: primaryKey, keys: new Map(keys.map(([id, key]) => [id, new Secret(Buffer.from(key))])) };
  const pool = createPool(connection, { size: 4, onLost: () => send("database-lost") });
  const changes = createSignal({ pool, log }, "cloudwright_simulated");

  await serve({ pool, keyRing, clock: systemClock, log, changes, traceFile }, listen, stop.signal);
  await changes.close();
  await pool.close();
  process.exit();
}
