import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";
import { expectStatus, openConnection } from "../load/connection.ts";
import type { BenchPlatform } from "./bench-platform.ts";
import { readProcessUse } from "./process-use.ts";

/** Agents in separate processes. */
export interface AgentProcesses {
  /** Returns the user and system CPU time of all agents and their child processes, in microseconds. */
  readCpuMicros(): number;
  [Symbol.asyncDispose](): Promise<void>;
}

const program = join(import.meta.dirname, "..", "..", "apps", "agent", "src", "main.ts");

/**
 * Starts agents that serve all projects, in the same way as `npm run agent`. Their handlers succeed immediately. Waits until the agents
 * accept tasks.
 */
export async function startAgentProcesses(platform: BenchPlatform, count: number): Promise<AgentProcesses> {
  const directory = mkdtempSync(join(tmpdir(), "cloudwright-bench-agents-"));
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(children.map(stopChild));
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    for (let nth = 0; nth < count; nth += 1) children.push(await startAgent(platform, join(directory, `agent-${nth}`), nth));
  } catch (error) {
    await stop();
    throw error;
  }
  const readCpuMicros = (): number => children.reduce((sum, { pid }) => sum + readProcessUse(pid ?? 0).cpuMicros, 0);
  return { readCpuMicros, [Symbol.asyncDispose]: stop };
}

async function startAgent(platform: BenchPlatform, directory: string, nth: number): Promise<ChildProcess> {
  const client = openConnection(platform.server.url, platform.adminKey);
  const issued = expectStatus(await client.send("POST", "/v1/projects/system/jointokens", {}), 201);
  client.close();
  mkdirSync(directory, { mode: 0o700 });
  const log = openSync(join(directory, "agent.log"), "a");
  const child = spawn(process.execPath, [program], {
    // The agent stops when its standard input closes, which happens when this process ends.
    stdio: ["pipe", "pipe", log],
    env: {
      ...processEnvironment,
      CLOUDWRIGHT_SERVER: platform.server.url,
      CLOUDWRIGHT_AGENT_NAME: `bench-${nth}`,
      CLOUDWRIGHT_AGENT_DIR: directory,
      CLOUDWRIGHT_AGENT_STOPS_WITH_INPUT: "1",
      CLOUDWRIGHT_AGENT_STOP_SECONDS: "1",
      CLOUDWRIGHT_DEMO_HANDLERS: "1",
      CLOUDWRIGHT_JOIN_TOKEN: (JSON.parse(issued.body) as { joinToken: string }).joinToken,
    },
  });
  closeSync(log);
  const [said] = (await Promise.race([once(child.stdout as NodeJS.ReadableStream, "data"), once(child, "exit")])) as [unknown];
  if (!String(said).includes("runs up to")) throw new Error(`an agent failed to start: ${String(said)}`);
  child.stdout?.resume();
  return child;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
