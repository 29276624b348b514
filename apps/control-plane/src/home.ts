import { Fault, type Clock, type Logger, type Shutdown } from "@cloudwright/platform";
import { createPool, tryHomeLock } from "@cloudwright/store";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenDatabase } from "./database.ts";
import { controlPlaneFaults } from "./faults.ts";

/**
 * Ensures that only one server uses an embedded database, by taking an advisory lock on a separate connection. The lock is released when
 * the process ends. After a database restart, the server acquires the lock again, and stops if another server holds it. Replicas that share
 * a DATABASE_URL have separate home directories and need no lock.
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
    throw new Fault(
      controlPlaneFaults.home_in_use,
      `another server is already using the home directory ${home}${whereFrom(home)}`,
    );
  }
  database.own();
  const keep = async (): Promise<void> => {
    while (!deps.shutdown.signal.aborted) {
      try {
        client = await tryHomeLock(pool);
        if (client === undefined)
          return void deps.shutdown.close("another server has acquired the home directory").then(() => process.exit(1));
        client.once("end", () => void keep());
        return undefined;
      } catch (error) {
        deps.log.debug({ err: error }, "cannot reacquire the lock on the home directory yet");
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
  return facts === undefined ? "" : ` (${facts.address}, process ${facts.pid})`;
}

function readServerFile(home: string): { address: string; pid: number } | undefined {
  const file = join(home, "server.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { address: string; pid: number }) : undefined;
}

/** Writes server.json atomically. The CLI on this machine reads it to find the server. */
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
