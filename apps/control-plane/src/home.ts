import { Fault, type Shutdown } from "@cloudwright/platform";
import { createPool } from "@cloudwright/store";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenDatabase } from "./database.ts";
import { controlPlaneFaults } from "./faults.ts";

const homeLock = 0x686f6d65; // "home"

/**
 * Makes sure that one server only works on an embedded database: an advisory lock on a connection of its own, which ends with the
 * process however it dies. Replicas on one DATABASE_URL have homes of their own and need none.
 */
export async function claimHome(deps: { shutdown: Shutdown }, home: string, database: OpenDatabase): Promise<void> {
  if (!database.embedded) return;
  const pool = createPool(database.connection, { size: 1 });
  const client = await pool.connect();
  const { rows } = await client.query<{ claimed: boolean }>("select pg_try_advisory_lock($1) as claimed", [homeLock]);
  if (rows[0]?.claimed !== true) {
    await client.end();
    await pool.close();
    throw new Fault(controlPlaneFaults.home_in_use, `the home ${home} is served already${whereFrom(home)}`);
  }
  database.own();
  deps.shutdown.onClose("home lock", async () => {
    await client.end();
    await pool.close();
  });
}

function whereFrom(home: string): string {
  const file = join(home, "server.json");
  if (!existsSync(file)) return "";
  const { address, pid } = JSON.parse(readFileSync(file, "utf8")) as { address: string; pid: number };
  return ` at ${address} by process ${pid}`;
}

/** Tells the command line on this machine where the server is; written at once or not at all. */
export function writeServerFile(
  deps: { shutdown: Shutdown },
  home: string,
  facts: Readonly<Record<string, string | number>>,
): void {
  const file = join(home, "server.json");
  writeFileSync(`${file}.next`, `${JSON.stringify(facts, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.next`, file);
  deps.shutdown.onClose("server.json", () => rmSync(file, { force: true }));
}
