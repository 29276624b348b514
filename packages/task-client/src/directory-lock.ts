import { Fault, systemClock } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { createServer, connect, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { taskClientFaults } from "./faults.ts";

const heldForMs = 2000;

/**
 * Locks a directory, so that this process is the only agent that uses it. Two agents would mistake each other's programs for leftovers and
 * kill them. The lock is a listening socket, because the kernel releases it when the process dies.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const name = `cloudwright-agent-${createHash("sha256").update(realpathSync(directory)).digest("hex").slice(0, 32)}`;
  const isAbstract = process.platform === "linux";
  const path = isAbstract ? `\0${name}` : join(tmpdir(), `${name}.sock`);
  if (!isAbstract && !(await answers(path))) rmSync(path, { force: true });
  const server = createServer((socket) => socket.destroy());
  await listen(server, path, directory);
  server.unref();
  return () => new Promise((resolve) => void server.close(() => resolve()));
}

// Retries for a short time. A child process that the previous agent was starting keeps the socket open until exec.
async function listen(server: Server, path: string, directory: string): Promise<void> {
  const deadlineMs = systemClock.now() + heldForMs;
  for (;;) {
    const cause = await new Promise<Error | undefined>((resolve) => {
      server.once("error", resolve);
      server.listen(path, () => resolve(undefined));
    });
    server.removeAllListeners("error");
    if (cause === undefined) return;
    if (systemClock.now() > deadlineMs)
      throw new Fault(taskClientFaults.already_running, `another agent is using ${directory}`, { cause });
    await systemClock.sleep(50);
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
