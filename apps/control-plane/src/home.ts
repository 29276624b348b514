import { Fault, type Clock, type Logger, type Shutdown } from "@cloudwright/platform";
import { createPool, tryHomeLock } from "@cloudwright/store";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenDatabase } from "./database.ts";
import { controlPlaneFaults } from "./faults.ts";

/**
 * Ensures that only one server uses an embedded database, by an advisory lock on a separate connection. The lock ends with the
 * process. After a restart of the database the lock is taken again; if another server has it by then, this one stops.
 * Replicas with a common DATABASE_URL have separate homes and need no lock.
 */
export async function claimHome(
  deps: { clock: Clock; log: Logger; shutdown: Shutdown },
  home: string,
  database: OpenDatabase,
): Promise<void> {
  if (!database.embedded) return;
  const pool = createPool(database.connection, { size: 1, onLost: database.revive });
  let client = await tryHomeLock(pool);
  if (client === undefined) {
    await pool.close();
    throw new Fault(controlPlaneFaults.home_in_use, `another server already uses the home ${home}${whereFrom(home)}`);
  }
  database.own();
  const keep = async (): Promise<void> => {
    while (!deps.shutdown.signal.aborted) {
      try {
        client = await tryHomeLock(pool);
        if (client === undefined)
          return void deps.shutdown.close("another server has taken the home").then(() => process.exit(1));
        client.once("end", () => void keep());
        return undefined;
      } catch (error) {
        deps.log.debug({ err: error }, "the home's lock cannot be taken again yet");
        await deps.clock.sleep(200);
      }
    }
  };
  client.once("end", () => void keep());
  deps.shutdown.onClose("home lock", async () => {
    await client?.end();
    await pool.close();
  });
}

function whereFrom(home: string): string {
  const facts = readServerFile(home);
  return facts === undefined ? "" : ` at ${facts.address} by process ${facts.pid}`;
}

function readServerFile(home: string): { address: string; pid: number } | undefined {
  const file = join(home, "server.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { address: string; pid: number }) : undefined;
}

/** Writes server.json atomically, so that the CLI on this machine finds the server. */
export function writeServerFile(
  deps: { shutdown: Shutdown },
  home: string,
  facts: Readonly<Record<string, string | number>>,
): void {
  const file = join(home, "server.json");
  writeFileSync(`${file}.next`, `${JSON.stringify(facts, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.next`, file);
  deps.shutdown.onClose("server.json", () => {
    if (readServerFile(home)?.pid === process.pid) rmSync(file, { force: true });
  });
}
