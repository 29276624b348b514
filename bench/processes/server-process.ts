import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";

/** A server in a separate process that reports its CPU time and memory usage. */
export interface ServerProcess {
  readonly url: string;
  /** Returns the user and system CPU time since the start, in microseconds. */
  readCpuMicros(): Promise<number>;
  /** Returns the resident memory, which includes shared libraries. */
  readMemoryBytes(): Promise<number>;
  stop(): Promise<void>;
}

export interface ServerProgram {
  readonly name: string;
  /** Path of a program that prints `serves <url>` or `is running at <url>` once it listens. */
  readonly main: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Directory for the log file. */
  readonly directory: string;
  readonly profileDirectory: string | undefined;
}

const preload = join(import.meta.dirname, "report-use.ts");

/** Starts a server and waits until it listens. The server logs to a file, as in production. */
export async function startServerProcess(program: ServerProgram): Promise<ServerProcess> {
  const profile =
    program.profileDirectory === undefined
      ? []
      : ["--cpu-prof", `--cpu-prof-dir=${program.profileDirectory}`, `--cpu-prof-name=${program.name}.cpuprofile`];
  const logFile = join(program.directory, `${program.name}.log`);
  const log = openSync(logFile, "a");
  const child = spawn(process.execPath, [...profile, "--import", preload, program.main], {
    env: { ...processEnvironment, ...program.environment },
    stdio: ["ignore", "pipe", log, "ipc"],
  });
  closeSync(log);
  const url = await readAddress(child).catch((error: unknown) => {
    throw new Error(`${program.name} failed to start: ${readFileSync(logFile, "utf8").trim()}`, { cause: error });
  });
  return {
    url,
    readCpuMicros: async () => (await ask(child)).cpuMicros,
    readMemoryBytes: async () => (await ask(child)).memoryBytes,
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function ask(child: ChildProcess): Promise<{ cpuMicros: number; memoryBytes: number }> {
  child.send("use");
  const [answer] = (await once(child, "message")) as [{ cpuMicros: number; memoryBytes: number }];
  return answer;
}

async function readAddress(child: ChildProcess): Promise<string> {
  let output = "";
  // Keeps reading after the address has arrived. Otherwise child processes that write to the same pipe would block.
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk) => {
      output = (output + String(chunk)).slice(-10_000);
      const url = /(?:serves|is running at) (http:\/\/[^\s;]+)/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once("close", () => reject(new Error("the process exited before it listened")));
  });
}
