import { Fault } from "@cloudwright/platform";
import { spawn, type ChildProcess } from "node:child_process";
import type { Writable } from "node:stream";
import { taskClientFaults } from "./faults.ts";
import type { ChildEnd, SpawnOptions, TaskChild } from "./handler.ts";
import type { Journal } from "./journal.ts";
import { findProcessMark, leaseVariable, tryKill } from "./process-table.ts";
import type { Watchdog } from "./watchdog/watchdog.ts";

/** The programs of one task. */
export interface Children {
  spawn(command: string, args: readonly string[], options?: SpawnOptions): Promise<TaskChild>;
  /** Sends a signal to all groups. */
  signal(name: "SIGINT" | "SIGKILL"): void;
  /** No program is started from now on; those that run are killed. */
  close(): void;
  /** Resolves when no program runs any more. */
  gone(): Promise<void>;
}

// The gate: a shell that waits, as the leader of its own group, until it is told to become the program. When the agent ends before
// the watchdog knows the group, the pipe ends, and with it the shell: no program can run that nobody watches.
const gate = 'read -r go <&3 && exec 3<&- && exec "$@"';

/** What is written down of programs, and where they run. */
export type ChildJournal = Pick<Journal, "directory" | "childStarted" | "childEnded">;

/** Starts programs through the gate and keeps the journal and the watchdog informed. */
export function createChildren(
  deps: { watchdog: Watchdog; journal: ChildJournal; environment: Readonly<Record<string, string>> },
  task: { lease: string; isHeld: () => boolean },
): Children {
  const { watchdog, journal, environment } = deps;
  const running = new Map<number, { child: ChildProcess; ended: Promise<ChildEnd> }>();
  let closed = false;

  const signal = (name: "SIGINT" | "SIGKILL"): void => {
    for (const pid of running.keys()) tryKill(-pid, name);
  };
  const refuse = (): Fault =>
    new Fault(taskClientFaults.lease_lost, "the task is over or its lease has run out; no program is started for it");

  const follow = (child: ChildProcess, pid: number): Promise<ChildEnd> =>
    new Promise((resolve) => {
      let end: ChildEnd = { code: null, signal: null };
      child.once("exit", (code, name) => {
        end = { code, signal: name };
        // What it started and left behind goes with it; its group is its own.
        tryKill(-pid);
        // Output that nobody reads must not keep the end from being seen.
        for (const stream of [child.stdout, child.stderr]) if (stream?.readableFlowing === null || closed) stream?.resume();
      });
      child.once("close", () => {
        running.delete(pid);
        watchdog.childEnded(task.lease, pid);
        try {
          journal.childEnded(pid);
        } catch {
          // A full disk: a start that finds this child in the journal finds it gone.
        }
        resolve(end);
      });
    });

  return {
    async spawn(command, args, options = {}) {
      if (closed || !task.isHeld()) throw refuse();
      const child = spawn("/bin/sh", ["-c", gate, "gate", command, ...args], {
        detached: true,
        cwd: options.cwd ?? journal.directory,
        env: { ...environment, ...options.env, [leaseVariable]: task.lease },
        stdio: ["pipe", "pipe", "pipe", "pipe"],
      });
      const pid = await startedPid(child);
      const ended = follow(child, pid);
      running.set(pid, { child, ended });
      const door = child.stdio[3] as Writable;
      door.on("error", () => undefined);
      child.stdin.on("error", () => undefined);
      try {
        const mark = findProcessMark(pid);
        if (mark === undefined) throw refuse();
        journal.childStarted(mark);
        await watchdog.addChild(task.lease, mark);
        if (closed || !task.isHeld()) throw refuse();
      } catch (error) {
        tryKill(-pid);
        door.destroy();
        throw error;
      }
      door.end("go\n");
      return { pid, ended, stdin: child.stdin, stdout: child.stdout, stderr: child.stderr };
    },
    signal,
    close() {
      closed = true;
      signal("SIGKILL");
      for (const { child } of running.values()) for (const stream of [child.stdout, child.stderr]) stream?.resume();
    },
    async gone() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

function startedPid(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(new Fault(taskClientFaults.child_failed, "a program could not be started", { cause })));
    if (child.pid !== undefined) resolve(child.pid);
  });
}
