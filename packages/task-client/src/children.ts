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
  /** Sends a signal to all process groups. */
  signal(name: "SIGINT" | "SIGKILL"): void;
  /** Kills running programs and prevents further ones from starting. */
  close(): void;
  /** Resolves when no program is running any more. */
  gone(): Promise<void>;
}

// The gate: a shell that leads its own process group and waits until it is told to become the program. If the agent dies before the
// watchdog knows the group, the pipe closes and the shell exits, so no program runs unwatched.
const gate = 'read -r go <&3 && exec 3<&- && exec "$@"';

/** Where programs run, and the journal that records them. */
export type ChildJournal = Pick<Journal, "directory" | "childStarted" | "childEnded">;

/** Starts programs through the gate and informs the journal and the watchdog. */
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
    new Fault(taskClientFaults.lease_lost, "the task is over or its lease has expired; no program is started for it");

  const follow = (child: ChildProcess, pid: number): Promise<ChildEnd> =>
    new Promise((resolve) => {
      let end: ChildEnd = { code: null, signal: null };
      child.once("exit", (code, name) => {
        end = { code, signal: name };
        // Kills the processes that it left behind in its group.
        tryKill(-pid);
        // Unread output must not hide that the program has exited.
        for (const stream of [child.stdout, child.stderr]) if (stream?.readableFlowing === null || closed) stream?.resume();
      });
      child.once("close", () => {
        running.delete(pid);
        watchdog.childEnded(task.lease, pid);
        try {
          journal.childEnded(pid);
        } catch {
          // The disk is full. A start that finds this child in the journal will see that it has exited.
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
      const gateInput = child.stdio[3] as Writable;
      gateInput.on("error", () => undefined);
      child.stdin.on("error", () => undefined);
      try {
        const mark = findProcessMark(pid);
        if (mark === undefined) throw refuse();
        journal.childStarted(mark);
        await watchdog.addChild(task.lease, mark);
        if (closed || !task.isHeld()) throw refuse();
      } catch (error) {
        tryKill(-pid);
        gateInput.destroy();
        throw error;
      }
      gateInput.end("go\n");
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
