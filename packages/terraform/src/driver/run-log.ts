import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { constants, createGzip } from "node:zlib";

/** The raw log of one command: redacted, compressed, and readable by its owner only. */
export interface RunLog {
  readonly path: string;
  /** Resolves when the log can accept more. */
  write(chunk: Buffer): Promise<void>;
  /** Returns whether everything was written. A full disk truncates the log but does not fail the run. */
  close(): Promise<boolean>;
}

const packBytes = 16 * 1024;
const packMs = 200;

/** Opens a log file that must not exist yet. */
export function openRunLog(path: string): RunLog {
  // Flushes at each write, so that the last output of a killed process is in the file.
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  const done = Promise.withResolvers<boolean>();
  let broken = false;
  let pending: Buffer[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): boolean => {
    clearTimeout(timer);
    timer = undefined;
    const together = Buffer.concat(pending);
    pending = [];
    size = 0;
    return broken || together.length === 0 || gzip.write(together);
  };
  const breakOff = (): void => {
    broken = true;
    gzip.destroy();
    file.destroy();
    done.resolve(false);
  };
  gzip.on("error", breakOff);
  file.on("error", breakOff);
  file.on("close", () => done.resolve(!broken));
  gzip.pipe(file);
  return {
    path,
    async write(chunk) {
      pending.push(chunk);
      size += chunk.length;
      // Terraform prints each line separately, and compressing them one by one takes ten times as long as reading them.
      if (size < packBytes) timer ??= setTimeout(flush, packMs);
      if (size < packBytes || flush()) return;
      await Promise.race([once(gzip, "drain").catch(() => undefined), done.promise]);
    },
    close() {
      flush();
      if (!broken) gzip.end();
      return done.promise;
    },
  };
}
