import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { Fault, type Clock, type Environment, type Logger } from "@cloudwright/platform";
import type { Cluster } from "./cluster.ts";
import { answers } from "./database.ts";
import { embeddedFaults } from "./faults.ts";
import { markLog, openLog, readLogSince } from "./log-file.ts";
import {
  inspectPostmaster,
  isServing,
  removeStaleSocketLock,
  setStaleLockAside,
  type PostmasterState,
} from "./postmaster-lock.ts";
import { spawnAs } from "./run-as.ts";
import { socketPath } from "./socket-directory.ts";

/** A running server that accepts connections. */
export interface Postmaster {
  readonly pid: number;
  readonly socketDirectory: string;
  readonly port: number;
  readonly adopted: boolean;
}

interface PostmasterDeps {
  readonly log: Logger;
  readonly clock: Clock;
  readonly environment: Environment;
}

const readyWithinMs = 180_000;
const lookEveryMs = 20;
const retryEveryMs = 200;
const writtenWithinMs = 5_000;
const goneWithinMs = 5_000;

/**
 * Returns the server for a data directory. Adopts a running server, regardless of which process started it, or starts a new one. If several
 * processes start a server at the same time, PostgreSQL's lock decides which one succeeds. The others retry and adopt that server.
 */
export async function bringUp(deps: PostmasterDeps, cluster: Cluster): Promise<Postmaster> {
  const deadline = deps.clock.now() + readyWithinMs;
  let started: Started | undefined;
  for (;;) {
    const found = await inspectPostmaster(deps, cluster.dataDirectory);
    if (found.state === "running" && found.ready) return toPostmaster(found, started);
    if (deps.clock.now() > deadline)
      throw new Fault(embeddedFaults.embedded_not_ready, `${cluster.dataDirectory}: ${found.state} after ${readyWithinMs} ms`);
    if (started?.ended() === true) {
      await requireRetryable(cluster, started);
      started = undefined;
      await deps.clock.sleep(retryEveryMs);
    } else if (found.state !== "running" && started === undefined) {
      started = await clearAndStart(deps, cluster, found);
    } else {
      await deps.clock.sleep(lookEveryMs);
    }
  }
}

interface Started {
  readonly child: ChildProcess;
  /** Position in the log at which this start attempt began. */
  readonly mark: number;
  ended(): boolean;
}

function toPostmaster(found: PostmasterState & { state: "running" }, started: Started | undefined): Postmaster {
  return { pid: found.pid, socketDirectory: found.socketDirectory, port: found.port, adopted: started?.child.pid !== found.pid };
}

async function clearAndStart(deps: PostmasterDeps, cluster: Cluster, found: PostmasterState): Promise<Started | undefined> {
  if (found.state === "unreadable" && found.ageMs < writtenWithinMs) {
    await deps.clock.sleep(lookEveryMs);
    return undefined;
  }
  if (await isServedUnseen(deps, cluster)) {
    throw new Fault(
      embeddedFaults.embedded_out_of_sight,
      `a server responds in ${cluster.socketDirectory}, but its process is not visible`,
    );
  }
  if (found.state === "foreign" || found.state === "unreadable") {
    deps.log.warn({ directory: cluster.dataDirectory }, "removing the lock of a database server that no longer exists");
    await setStaleLockAside(cluster.dataDirectory, found.text);
  }
  await removeStaleSocketLock(cluster.dataDirectory, socketPath(cluster.socketDirectory));
  return start(deps, cluster);
}

/**
 * Detects a server whose process is not visible, for example because it runs in another container. Starting a second server on the same
 * data would destroy the data. Waits a moment before deciding, because a server that is shutting down may still respond briefly after its
 * process has disappeared.
 */
async function isServedUnseen(deps: PostmasterDeps, cluster: Cluster): Promise<boolean> {
  const deadline = deps.clock.now() + goneWithinMs;
  while (await answers(cluster.socketDirectory)) {
    const found = await inspectPostmaster(deps, cluster.dataDirectory);
    if (found.state === "running") return false;
    if (deps.clock.now() > deadline) return true;
    await deps.clock.sleep(lookEveryMs);
  }
  return false;
}

async function start(deps: PostmasterDeps, cluster: Cluster): Promise<Started> {
  const mark = await markLog(cluster.logFile);
  const log = await openLog(cluster.logFile);
  try {
    // The owner of the home directory must be able to append to the log when the server is later started without root.
    if (cluster.runAs.kind === "user") await log.chown(cluster.runAs.uid, cluster.runAs.gid);
    const settings = Object.entries(cluster.settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const args = ["-D", cluster.dataDirectory, "-k", cluster.socketDirectory, ...settings];
    const child = spawnAs(cluster.runAs, deps.environment, join(cluster.binaries.directory, "postgres"), args, [
      "ignore",
      log.fd,
      log.fd,
    ]);
    let failed = false;
    child.on("error", () => (failed = true));
    child.unref();
    return { child, mark, ended: () => failed || child.exitCode !== null || child.signalCode !== null };
  } finally {
    await log.close();
  }
}

// Log messages of failures after which the start is retried. They mean that another server holds the lock, processes of a killed server
// still use the shared memory, or the server was stopped while it was starting.
const passing = /lock file ".*" (already exists|is empty)|pre-existing shared memory block|received \w+ shutdown request/;

async function requireRetryable(cluster: Cluster, started: Started): Promise<void> {
  if (started.child.signalCode === "SIGKILL") return;
  const written = await readLogSince(cluster.logFile, started.mark);
  if (passing.test(written)) return;
  const reason = written
    .split("\n")
    .findLast((line) => /\b(FATAL|PANIC):/.test(line))
    ?.replace(/^.*?(FATAL|PANIC): +/, "");
  throw new Fault(embeddedFaults.embedded_start_failed, `${cluster.dataDirectory}: ${reason ?? "exited without a message"}`);
}

const fastWithinMs = 60_000;
const endWithinMs = 90_000;

/**
 * Stops the server for a data directory, regardless of which process started it. Uses a fast shutdown, which disconnects clients and writes
 * all data.
 */
export async function takeDown(deps: PostmasterDeps, dataDirectory: string): Promise<void> {
  const first = await inspectPostmaster(deps, dataDirectory);
  if (first.state !== "running") return;
  signal(first.pid, "SIGINT");
  const begun = deps.clock.now();
  let hurried = false;
  for (;;) {
    // The lock file disappears shortly before the process does.
    if (!(await isServing(first.pid, dataDirectory))) return;
    const waitedMs = deps.clock.now() - begun;
    if (waitedMs > endWithinMs) throw new Fault(embeddedFaults.embedded_not_stopping, `process ${first.pid} on ${dataDirectory}`);
    if (waitedMs > fastWithinMs && !hurried) {
      hurried = true;
      deps.log.warn({ pid: first.pid }, "the database is slow to stop, killing it");
      signal(first.pid, "SIGQUIT");
    }
    await deps.clock.sleep(lookEveryMs);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // The process has already exited.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
