import { Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { createServer, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { taskClientFaults } from "./faults.ts";

/**
 * Makes this process the only agent of a directory until it ends, however it ends: two would take each other's programs for
 * leftovers. A listening socket is the lock, since the kernel gives it to one and takes it back by itself.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const name = `cloudwright-agent-${createHash("sha256").update(realpathSync(directory)).digest("hex").slice(0, 32)}`;
  const isAbstract = process.platform === "linux";
  const path = isAbstract ? `\0${name}` : join(tmpdir(), `${name}.sock`);
  if (!isAbstract && !(await answers(path))) rmSync(path, { force: true });
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new Fault(taskClientFaults.already_running, `another agent runs with ${directory}`, { cause })),
    );
    server.listen(path, resolve);
  });
  server.unref();
  return () => new Promise((resolve) => void server.close(() => resolve()));
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
