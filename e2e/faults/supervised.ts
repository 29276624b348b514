import { systemClock } from "@cloudwright/platform";
import { spawn, type ChildProcess } from "node:child_process";
import { createWriteStream, type WriteStream } from "node:fs";
import { trySignal } from "./process-list.ts";

/** A program that is restarted whenever it exits, as a service manager would do. */
export interface Supervised {
  readonly name: string;
  /** Returns the process id, or undefined while the program is not running. */
  pid(): number | undefined;
  /** All process ids that the program has had so far. */
  readonly pids: ReadonlySet<number>;
  /** Ends the program with a signal and restarts it after `downMs`. Returns false if the program is not running. */
  end(signal: "SIGKILL" | "SIGTERM", downMs: number): boolean;
  /** Stops the program without restarting it. */
  stop(): Promise<void>;
}

export interface SupervisedOptions {
  readonly name: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** File for the program's output. */
  readonly logFile: string;
}

const restartMs = 300;
const stopWithinMs = 60_000;
const running = new Set<ChildProcess>();

// An aborted test run must not leave processes behind.
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export function supervise(options: SupervisedOptions): Supervised {
  const { name, command, cwd } = options;
  const environment = Object.fromEntries(Object.entries(options.environment).filter(([, value]) => value !== undefined));
  const log = createWriteStream(options.logFile, { flags: "a" });
  const pids = new Set<number>();
  const over = Promise.withResolvers<void>();
  let child: ChildProcess | undefined;
  let stopping = false;
  let waitMs = restartMs;

  const start = (): void => {
    if (stopping) return over.resolve();
    const started = spawn(command[0] as string, command.slice(1), { cwd, env: environment, stdio: ["ignore", "pipe", "pipe"] });
    child = started;
    running.add(started);
    if (started.pid !== undefined) pids.add(started.pid);
    note(log, `-- ${name} starts as process ${started.pid}\n`);
    started.stdout?.on("data", (text: Buffer) => log.write(text));
    started.stderr?.on("data", (text: Buffer) => log.write(text));
    started.once("exit", (code, signal) => {
      running.delete(started);
      child = undefined;
      note(log, `-- ${name} (${started.pid}) ended: ${signal ?? code}\n`);
      const downMs = waitMs;
      waitMs = restartMs;
      void systemClock.sleep(downMs).then(start);
    });
  };
  start();
  return {
    name,
    pids,
    pid: () => child?.pid,
    end(signal, downMs) {
      if (child?.pid === undefined) return false;
      waitMs = downMs;
      return trySignal(child.pid, signal);
    },
    async stop() {
      stopping = true;
      const last = child;
      if (last === undefined) return over.promise;
      last.kill("SIGTERM");
      const timer = setTimeout(() => last.kill("SIGKILL"), stopWithinMs);
      await over.promise;
      clearTimeout(timer);
    },
  };
}

function note(log: WriteStream, text: string): void {
  log.write(`${new Date(systemClock.now()).toISOString()} ${text}`);
}
