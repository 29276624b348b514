import { Fault } from "@cloudwright/platform";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { constants, createGunzip } from "node:zlib";
import { terraformFaults } from "../faults.ts";

/** Streams the log of a command. A log that was not closed properly is read as far as possible. */
export async function* readRunLog(path: string): AsyncGenerator<Buffer, void> {
  const unfold = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  const chunks = pipeline(createReadStream(path), unfold, () => undefined) as AsyncIterable<Buffer>;
  try {
    yield* chunks;
  } catch (cause) {
    throw new Fault(terraformFaults.log_unreadable, `${path} cannot be read as the log of a run`, { cause });
  }
}
