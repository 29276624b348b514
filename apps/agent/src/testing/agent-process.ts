import { processEnvironment } from "@cloudwright/platform";
import type { Cleanup, FakeServer } from "@cloudwright/task-client/testing";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface AgentProcess {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  signal(name: NodeJS.Signals): void;
  /** Sends a signal and waits for the process to exit. */
  end(name: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const program = fileURLToPath(new URL("../main.ts", import.meta.url));

/** Starts an agent from source. Returns before the agent is ready. */
export function spawnAgent(
  server: FakeServer,
  cleanup: Cleanup,
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = ["run"],
): AgentProcess {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: processEnvironment["PATH"],
      NODE_COMPILE_CACHE: processEnvironment["NODE_COMPILE_CACHE"],
      CLOUDWRIGHT_SERVER: server.url,
      CLOUDWRIGHT_DEMO_HANDLERS: "1",
      CLOUDWRIGHT_JOIN_TOKEN: server.issueJoinToken(),
      CLOUDWRIGHT_AGENT_STOP_SECONDS: "0",
      CLOUDWRIGHT_AGENT_CANCEL_SECONDS: "5",
      ...environment,
    },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("the agent's process could not be started");
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (data) => (output.stdout += String(data)));
  child.stderr.on("data", (data) => (output.stderr += String(data)));
  const ended = once(child, "exit").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  cleanup.add(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  return {
    pid,
    ended,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    signal: (name) => void child.kill(name),
    end(name) {
      child.kill(name);
      return ended;
    },
  };
}

/** Returns the process ids of an agent's watchdogs, which are child processes of the agent. */
export function listChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Returns whether a process is running. A zombie process counts as not running. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
