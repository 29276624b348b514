import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs `work` while no other process on this machine holds the lock on the same directory. The lock is a listening socket, because the
 * kernel releases it when its holder dies. Waiting processes connect to the holder and notice when it exits.
 */
export async function doExclusively<Result>(
  directory: string,
  work: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = addressOf(realpathSync(directory));
  let server: Server | undefined;
  while (server === undefined) {
    signal?.throwIfAborted();
    server = await tryListen(path);
    if (server === undefined && signal?.aborted !== true) await waitForHolder(path, signal);
  }
  try {
    return await work();
  } finally {
    for (const close of waiting.get(server) ?? []) close();
    await new Promise((resolve) => void server.close(resolve));
  }
}

const waiting = new WeakMap<Server, Set<() => void>>();

function addressOf(directory: string): string {
  const name = `cloudwright-${createHash("sha256").update(directory).digest("hex").slice(0, 32)}`;
  return process.platform === "linux" ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}

function tryListen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const sockets = new Set<() => void>();
    const server = createServer((socket) => {
      const close = (): void => void socket.destroy();
      sockets.add(close);
      socket.on("error", close).on("close", () => sockets.delete(close));
    });
    waiting.set(server, sockets);
    server.once("error", (error: NodeJS.ErrnoException) => (error.code === "EADDRINUSE" ? resolve(undefined) : reject(error)));
    server.listen(path, () => resolve(server));
  });
}

function waitForHolder(path: string, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const abort = (): void => void socket.destroy();
    signal?.addEventListener("abort", abort, { once: true });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // A dead holder left its socket file behind. Linux uses abstract sockets, which have no file.
      if (error.code === "ECONNREFUSED" && !path.startsWith("\0")) rmSync(path, { force: true });
    });
    socket.on("close", () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    socket.resume();
  });
}
