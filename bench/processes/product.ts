import type { EntityJson } from "@cloudwright/contract";
import { systemClock } from "@cloudwright/platform";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openConnection, type Connection } from "../load/connection.ts";
import { readProcessUse } from "./process-use.ts";
import { startServerProcess } from "./server-process.ts";

/** The product as `npm start` runs it, with an embedded PostgreSQL server and an embedded agent. */
export interface Product {
  readonly connection: Connection;
  /** Returns the user and system CPU time of the control plane, database, agent and their child processes, in microseconds. */
  readCpuMicros(): number;
  read(path: string): Promise<EntityJson>;
  create(path: string, entity: object): Promise<void>;
  waitForPhase(path: string, phase: string, pollEveryMs?: number): Promise<void>;
  remove(path: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const controlPlane = join(import.meta.dirname, "..", "..", "apps", "control-plane", "src", "main.ts");

/** Starts the product with a home directory inside `directory`. A second start with the same directory reuses the existing data. */
export async function startProduct(directory: string, environment: Readonly<Record<string, string>>): Promise<Product> {
  const home = join(directory, "home");
  mkdirSync(home, { mode: 0o700, recursive: true });
  const settings = {
    CLOUDWRIGHT_HOME: home,
    CLOUDWRIGHT_LISTEN: "127.0.0.1:0",
    CLOUDWRIGHT_CONSOLE: "off",
    DATABASE_URL: "",
    // Periodic drift checks would add tasks and distort the measurements.
    CLOUDWRIGHT_DRIFT_CHECK: "off",
    ...environment,
  };
  const program = { name: "cloudwright", main: controlPlane, directory, profileDirectory: undefined };
  const server = await startServerProcess({ ...program, environment: settings });
  const { pid } = JSON.parse(readFileSync(join(home, "server.json"), "utf8")) as { pid: number };
  const connection = openConnection(server.url, readFileSync(join(home, "admin.key"), "utf8").trim());
  const must = async (method: string, path: string, body?: object): Promise<string> => {
    const answer = await connection.send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return answer.body;
  };
  const read = async (path: string): Promise<EntityJson> => JSON.parse(await must("GET", path)) as EntityJson;
  const wait = async (holds: () => Promise<boolean>, everyMs = 20): Promise<void> => {
    while (!(await holds())) await systemClock.sleep(everyMs);
  };
  return {
    connection,
    readCpuMicros: () => readProcessUse(pid).cpuMicros,
    read,
    create: async (path, entity) => void (await must("POST", path, entity)),
    waitForPhase: (path, phase, pollEveryMs) =>
      wait(async () => {
        const { status } = await read(path);
        if (status["phase"] === "FAILED" && phase !== "FAILED") throw new Error(`${path} failed: ${JSON.stringify(status)}`);
        return status["phase"] === phase;
      }, pollEveryMs),
    async remove(path) {
      await must("DELETE", path);
      await wait(async () => (await connection.send("GET", path)).status === 404);
    },
    async [Symbol.asyncDispose]() {
      connection.close();
      await server.stop();
    },
  };
}
