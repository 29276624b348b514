import { createHash } from "node:crypto";
import { chmod, chown, lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "@cloudwright/platform";
import { embeddedFaults } from "./faults.ts";
import type { RunAs } from "./run-as.ts";

/** The server does not use TCP, so the port is only a part of the socket's file name. */
export const port = 5432;

/** Maximum length of a socket path in bytes. Kernels allow 104 to 108 bytes. */
const longestSocketPath = 100;

/** Returns the path of the socket file in its directory. */
export function socketPath(directory: string): string {
  return join(directory, `.s.PGSQL.${port}`);
}

/** Creates a private directory for the socket: `<base>/run`, or a shorter path in /tmp if that path is too long. */
export async function prepareSocketDirectory(base: string, runAs: RunAs): Promise<string> {
  const directory = chooseSocketDirectory(base);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const found = await lstat(directory);
  // In /tmp, any user may already have created something with this name.
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
  // TMPDIR may be long as well, and may differ between two processes that use the same home directory.
  return join("/tmp", `cloudwright-${createHash("sha256").update(base).digest("hex").slice(0, 16)}`);
}
