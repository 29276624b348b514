import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { constants, createGzip } from "node:zlib";

/** The log of one command: redacted, compressed, and readable only by its owner. */
export interface RunLog {
  readonly path: string;
  /** Resolves when the log can accept more data. */
  write(chunk: Buffer): Promise<void>;
  /** Returns whether everything was written. A full disk truncates the log but does not fail the run. */
  close(): Promise<boolean>;
}

const packBytes = 16 * 1024;
const packMs = 200;

/** Creates a log file. Fails if the file exists. */
export function openRunLog(path: string): RunLog {
  // Flushes after each write, so that the file contains the last output of a killed process.
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
      // Batches writes. Terraform prints single lines, and compressing each one would take ten times as long as reading it.
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
