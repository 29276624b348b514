import { copyFile, open, readFile, stat, truncate, type FileHandle } from "node:fs/promises";
import type { Clock, Logger } from "@cloudwright/platform";

const largestBytes = 16 * 1024 * 1024;
const checkEveryMs = 3_600_000;

/** Opens the server's log for appending. The log is a file rather than a pipe, because the server may outlive this process. */
export async function openLog(path: string): Promise<FileHandle> {
  return open(path, "a", 0o600);
}

/**
 * Copies a full log, replacing the previous copy, and truncates the original. The server opened the log in append mode, so truncating it is
 * safe.
 */
export async function rotateLog(path: string, limitBytes = largestBytes): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.size <= limitBytes) return;
  await copyFile(path, `${path}.1`);
  await truncate(path, 0);
}

/** Rotates the log periodically until the signal is aborted. */
export async function keepLogShort(deps: { clock: Clock; log: Logger }, path: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await rotateLog(path).catch((error: unknown) => deps.log.warn({ err: error, path }, "could not rotate the database's log"));
    await deps.clock.sleep(checkEveryMs, signal).catch(() => undefined);
  }
}

/** Returns the current size of the log, which can be passed to `readLogSince` later. */
export async function markLog(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/** Returns everything that was written to the log after the mark. */
export async function readLogSince(path: string, mark: number): Promise<string> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  return bytes.subarray(mark > bytes.length ? 0 : mark).toString();
}
