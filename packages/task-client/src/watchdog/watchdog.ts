import { Fault, type Clock, type Logger } from "@cloudwright/platform";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { pauseMs } from "../back-off.ts";
import { taskClientFaults } from "../faults.ts";
import type { ProcessMark } from "../process-table.ts";
import type { WatchdogAnswer, WatchdogOrder } from "./protocol.ts";

/** Callbacks for the holder of a lease. */
export interface LeaseGuard {
  /** Called after the deadline has passed and the programs have been killed. */
  expired(): void;
  /** Called after the watchdog has exited. The programs must be stopped, because nothing guards them any longer. */
  unguarded(): void;
}

/** The agent's connection to the watchdog process. */
export interface Watchdog {
  /** The watchdog's process id, or undefined while it restarts. */
  pid(): number | undefined;
  /**
   * Sets or extends a lease's deadline. The watchdog is told only when the first child is added, because it has nothing to kill before
   * then.
   */
  guard(lease: string, deadlineMs: number, guard: LeaseGuard): void;
  /** Resolves when the watchdog has registered the child process. Rejects if the process must not run. */
  addChild(lease: string, mark: ProcessMark): Promise<void>;
  childEnded(lease: string, pid: number): void;
  /** Removes the lease of a task that has ended, and kills the task's remaining programs. */
  release(lease: string): void;
  close(): Promise<void>;
}

type WatchdogProcess = ChildProcessByStdio<Writable, Readable, null>;
const program = fileURLToPath(new URL("./main.ts", import.meta.url));

/** Starts the watchdog process and restarts it whenever it exits. */
export async function startWatchdog(deps: { log: Logger; clock: Clock }): Promise<Watchdog> {
  const { log, clock } = deps;
  const leases = new Map<string, { deadlineMs: number; guard: LeaseGuard; told: boolean }>();
  const waiting = new Map<string, { resolve: () => void; reject: (fault: Fault) => void }>();
  const ready = Promise.withResolvers<void>();
  let child: WatchdogProcess | undefined;
  let closing = false;
  let deaths = 0;

  const send = (order: WatchdogOrder): void => void child?.stdin.write(`${JSON.stringify(order)}\n`);

  const hear = (message: WatchdogAnswer): void => {
    if (message.answer === "expired") return leases.get(message.lease)?.guard.expired();
    if (message.answer !== "child") return;
    const key = `${message.lease} ${message.pid}`;
    const caller = waiting.get(key);
    waiting.delete(key);
    if (message.accepted) caller?.resolve();
    else caller?.reject(new Fault(taskClientFaults.lease_lost, "cannot start a program: the lease has expired"));
  };

  const bury = (): void => {
    child = undefined;
    for (const { reject } of waiting.values()) reject(new Fault(taskClientFaults.watchdog_lost, "the watchdog has exited"));
    waiting.clear();
    if (closing) return;
    log.error({ leases: leases.size }, "watchdog exited; stopping all programs");
    for (const { guard } of leases.values()) guard.unguarded();
    void clock.sleep(pauseMs(deaths++)).then(() => (closing ? undefined : start()));
  };

  const start = (): void => {
    // The watchdog needs nothing from the agent's environment.
    const started: WatchdogProcess = spawn(process.execPath, ["--no-warnings", program], {
      detached: true,
      env: {},
      cwd: "/",
      stdio: ["pipe", "pipe", "ignore"],
    });
    started.stdin.on("error", () => undefined);
    // If the process cannot be started, it emits `error` but not `exit`.
    started.once("error", bury);
    started.once("exit", bury);
    createInterface({ input: started.stdout }).on("line", (line) => {
      const message = JSON.parse(line) as WatchdogAnswer;
      if (message.answer !== "ready") return hear(message);
      deaths = 0;
      child = started;
      for (const [lease, { deadlineMs, told }] of leases) if (told) send({ order: "guard", lease, deadlineMs });
      ready.resolve();
    });
  };

  start();
  await ready.promise;
  return {
    pid: () => child?.pid,
    guard(lease, deadlineMs, guard) {
      const told = leases.get(lease)?.told ?? false;
      leases.set(lease, { deadlineMs, guard, told });
      if (told) send({ order: "guard", lease, deadlineMs });
    },
    addChild: (lease, mark) =>
      new Promise((resolve, reject) => {
        if (child === undefined) return reject(new Fault(taskClientFaults.watchdog_lost, "the watchdog is not running"));
        waiting.set(`${lease} ${mark.pid}`, { resolve, reject });
        const held = leases.get(lease);
        if (held !== undefined && !held.told) {
          held.told = true;
          send({ order: "guard", lease, deadlineMs: held.deadlineMs });
        }
        send({ order: "child", lease, mark });
      }),
    childEnded: (lease, pid) => send({ order: "ended", lease, pid }),
    release(lease) {
      const told = leases.get(lease)?.told ?? false;
      leases.delete(lease);
      if (told) send({ order: "release", lease });
    },
    close: () =>
      new Promise((resolve) => {
        closing = true;
        if (child === undefined) return resolve();
        child.once("exit", () => resolve());
        child.stdin.end();
      }),
  };
}
