import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { constants, createGzip } from "node:zlib";

/** The raw log of one command: redacted, compressed, readable by its owner only. */
export interface RunLog {
  readonly path: string;
  /** Resolves when more can be taken. */
  write(chunk: Buffer): Promise<void>;
  /** Whether everything was written: a full disk loses the log's end, never the run. */
  close(): Promise<boolean>;
}

/** Opens a log file that must not exist yet. */
export function openRunLog(path: string): RunLog {
  // Flushed with each chunk: what a killed process had said is in the file.
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  const done = Promise.withResolvers<boolean>();
  let broken = false;
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
      if (broken || chunk.length === 0 || gzip.write(chunk)) return;
      await Promise.race([once(gzip, "drain").catch(() => undefined), done.promise]);
    },
    close() {
      if (!broken) gzip.end();
      return done.promise;
    },
  };
}
