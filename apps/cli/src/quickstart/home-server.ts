import { joinSignals } from "@cloudwright/platform/join-signals";
import { readServerConfig } from "@cloudwright/platform";
import { Fault } from "@cloudwright/platform/fault";
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findLocalServer } from "../connection/local-server.ts";
import { cliFaults } from "../faults.ts";
import type { World } from "../world.ts";
import { findClone } from "./find-clone.ts";
import { findPortOwner, isTaken } from "./port-owner.ts";

/** A running server that uses this home directory. */
export interface HomeServer {
  readonly address: string;
  readonly adminKey: string | undefined;
  readonly pid: number;
}

type Here = Pick<World, "environment" | "home" | "fetch" | "clock" | "signal">;

const readyWithinMs = 120_000;
const lookEveryMs = 50;

/**
 * Returns the running server that uses this home directory, if any. The server must listen on the recorded address and accept the recorded
 * key.
 */
export async function findHomeServer({ home, fetch, signal }: Here): Promise<HomeServer | undefined> {
  const local = findLocalServer(home);
  if (local === undefined) return undefined;
  const pid = readPid(join(home, "server.json"));
  const joined = joinSignals([signal, AbortSignal.timeout(5000)]);
  const answer = await fetch(`${local.address}/v1/whoami`, {
    headers: { authorization: `Bearer ${local.adminKey ?? ""}` },
    signal: joined.signal as AbortSignal,
  }).catch(() => undefined);
  await answer?.body?.cancel();
  joined.release();
  return answer?.ok === true && pid !== undefined ? { ...local, pid } : undefined;
}

/** Starts the control plane as a detached process and waits until it is ready. Its log is `server.log` in the home directory. */
export async function startHomeServer(here: Here): Promise<HomeServer> {
  const { listen } = readServerConfig(here.environment);
  if (listen.port !== 0 && (await isTaken(listen))) {
    const owner = findPortOwner(listen.port) ?? "another program";
    throw new Fault(
      cliFaults.port_taken,
      `${listen.host}:${listen.port} is in use by ${owner}, which is not the server of this home directory`,
    );
  }
  mkdirSync(here.home, { recursive: true, mode: 0o700 });
  const child = spawnServer(here);
  writeFileSync(markOf(here.home), `${JSON.stringify({ pid: child.pid })}\n`, { mode: 0o600 });
  const deadlineMs = here.clock.now() + readyWithinMs;
  while (here.clock.now() < deadlineMs) {
    const isOver = child.exitCode !== null || child.signalCode !== null;
    // The process may have exited because another process started a server for this home directory first.
    const found = await findHomeServer(here);
    if (found !== undefined) return found;
    if (isOver) break;
    await here.clock.sleep(lookEveryMs, here.signal);
  }
  throw new Fault(cliFaults.server_not_ready, `the control plane did not become ready: ${readLastWords(here.home)}`);
}

/** Gracefully stops the server that uses this home directory. Returns false if no such server is running. */
export async function stopHomeServer(here: Here): Promise<boolean> {
  const server = await findHomeServer(here);
  if (server === undefined) return false;
  process.kill(server.pid, "SIGTERM");
  while (isAlive(server.pid)) await here.clock.sleep(lookEveryMs, here.signal);
  return true;
}

/** Returns true if `startHomeServer` started the server, and false if a user started it in a terminal. */
export function isStartedHere(home: string, { pid }: HomeServer): boolean {
  return readPid(markOf(home)) === pid;
}

function spawnServer({ environment, home }: Here): ReturnType<typeof spawn> {
  const { root, node, controlPlane } = findClone();
  const log = openSync(logOf(home), "w", 0o600);
  try {
    // Standard output is not needed, because the address that the server prints is also in server.json. Problems are logged to standard
    // error.
    const child = spawn(node, [controlPlane], {
      cwd: root,
      detached: true,
      stdio: ["ignore", "ignore", log],
      env: {
        ...environment,
        CLOUDWRIGHT_HOME: home,
        // A compile cache halves the start-up time of the control plane and the agent.
        NODE_COMPILE_CACHE: environment["NODE_COMPILE_CACHE"] ?? join(home, "cache", "compiled"),
      },
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

function readLastWords(home: string): string {
  const lines = readFileSync(logOf(home), "utf8").trim().split("\n");
  return `${lines.slice(-2).join(" ") || "its log is empty"} (${logOf(home)})`;
}

function logOf(home: string): string {
  return join(home, "server.log");
}

function markOf(home: string): string {
  return join(home, "quickstart.json");
}

function readPid(file: string): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(file, "utf8")) as { pid?: unknown };
    return typeof pid === "number" ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
