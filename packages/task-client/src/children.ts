import { Fault } from "@cloudwright/platform";
import { spawn, type ChildProcess } from "node:child_process";
import type { Writable } from "node:stream";
import { taskClientFaults } from "./faults.ts";
import type { ChildEnd, SpawnOptions, TaskChild } from "./handler.ts";
import type { Journal } from "./journal.ts";
import { findProcessMark, leaseVariable, tryKill } from "./process-table.ts";
import type { Watchdog } from "./watchdog/watchdog.ts";

/** The child processes of one task. */
export interface Children {
  spawn(command: string, args: readonly string[], options?: SpawnOptions): Promise<TaskChild>;
  /** Sends a signal to all process groups. */
  signal(name: "SIGINT" | "SIGKILL"): void;
  /** Kills all running programs and prevents new ones from starting. */
  close(): void;
  /** Resolves when no program is running. */
  gone(): Promise<void>;
}

// A shell that leads its own process group and waits for permission to exec the program. If the agent dies before the watchdog has
// registered the group, the pipe closes and the shell exits. So no program ever runs without a watchdog.
const gate = 'read -r go <&3 && exec 3<&- && exec "$@"';

/** The directory that programs run in, and the journal that records them. */
export type ChildJournal = Pick<Journal, "directory" | "childStarted" | "childEnded">;

/** Creates a launcher that registers each program in the journal and with the watchdog before it runs. */
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
    new Fault(taskClientFaults.lease_lost, "cannot start a program: the task has ended or its lease has expired");

  const follow = (child: ChildProcess, pid: number): Promise<ChildEnd> =>
    new Promise((resolve) => {
      let end: ChildEnd = { code: null, signal: null };
      child.once("exit", (code, name) => {
        end = { code, signal: name };
        // Kills processes that the program left behind in its group.
        tryKill(-pid);
        // Discards output that nobody reads, because it would delay the `close` event.
        for (const stream of [child.stdout, child.stderr]) if (stream?.readableFlowing === null || closed) stream?.resume();
      });
      child.once("close", () => {
        running.delete(pid);
        watchdog.childEnded(task.lease, pid);
        try {
          journal.childEnded(pid);
        } catch {
          // The write can fail if the disk is full. The record is not essential, because a restarted agent notices that the process has
          // exited.
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
