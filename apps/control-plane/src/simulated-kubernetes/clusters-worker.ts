import { createLogger, Secret, systemClock, type LogLevel } from "@cloudwright/platform";
import { createPool, createSignal, type Connection } from "@cloudwright/store";
import { parentPort, workerData } from "node:worker_threads";
import { serveClusters } from "./serve-clusters.ts";

/** Settings that the control plane passes to the worker thread. Key material stays in this process. */
export interface WorkerSettings {
  readonly connection: Connection;
  readonly primaryKey: string;
  readonly keys: readonly (readonly [id: string, key: Uint8Array])[];
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  readonly logLevel: LogLevel;
}

const { connection, primaryKey, keys, listen, logLevel } = workerData as WorkerSettings;
const log = createLogger({ level: logLevel, name: "simulated-kubernetes" });
const keyRing = { primary: primaryKey, keys: new Map(keys.map(([id, key]) => [id, new Secret(Buffer.from(key))])) };
const pool = createPool(connection, { size: 4, onLost: () => parentPort?.postMessage("database-lost") });
const changes = createSignal({ pool, log }, "cloudwright_simulated");
const stop = new AbortController();
parentPort?.once("message", () => stop.abort());

await serveClusters({ pool, keyRing, clock: systemClock, log, changes }, listen, stop.signal);
await changes.close();
await pool.close();
parentPort?.close();
