import { createHash } from "node:crypto";
import { chmod, chown, lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "@cloudwright/platform";
import { embeddedFaults } from "./faults.ts";
import type { RunAs } from "./run-as.ts";

/** Without TCP the port is only part of the socket's name. */
export const port = 5432;

/** The kernel's limit is 104 to 108 bytes, depending on the platform. */
const longestSocketPath = 100;

/** Returns the path of the socket in its directory. */
export function socketPath(directory: string): string {
  return join(directory, `.s.PGSQL.${port}`);
}

/** Creates the private directory for the socket: `<base>/run`, or a short path derived from it if that is too long. */
export async function prepareSocketDirectory(base: string, runAs: RunAs): Promise<string> {
  const directory = chooseSocketDirectory(base);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const found = await lstat(directory);
  // In a shared directory anyone may have created something of this name before us.
  if (!found.isDirectory() || ![runAs.uid, process.getuid?.()].includes(found.uid)) {
    throw new Fault(embeddedFaults.embedded_unsafe_socket, `${directory} belongs to user ${found.uid} or is not a directory`);
  }
  await chmod(directory, 0o700);
  if (found.uid !== runAs.uid) await chown(directory, runAs.uid, runAs.gid);
  return directory;
}

function chooseSocketDirectory(base: string): string {
  const inside = join(base, "run");
  if (Buffer.byteLength(socketPath(inside)) <= longestSocketPath) return inside;
  // Not TMPDIR, which may also be long; and two processes of one home directory must choose the same path.
  return join("/tmp", `cloudwright-${createHash("sha256").update(base).digest("hex").slice(0, 16)}`);
}
