import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** How a host is told from others. */
export interface MachineIdentity {
  /** Derived from the machine's id, so that it survives restarts and a new folder of the host. */
  readonly id: string;
  readonly hostname: string;
}

/** Returns the identity of this machine. A machine without an id of its own gets one in the host's folder. */
export async function identifyMachine(directory: string): Promise<MachineIdentity> {
  const own = await readId("/etc/machine-id");
  const id = own ?? (await readId(join(directory, "machine-id"))) ?? (await createId(directory));
  // systemd asks programs not to publish the id itself.
  const digest = createHash("sha256").update(`cloudwright-host ${id}`).digest("hex");
  return { id: `machine-${digest.slice(0, 16)}`, hostname: hostname() };
}

async function readId(file: string): Promise<string | undefined> {
  const text = (await readFile(file, "utf8").catch(() => "")).trim();
  return /^[0-9a-f-]{32,36}$/.test(text) ? text : undefined;
}

async function createId(directory: string): Promise<string> {
  const [file, id] = [join(directory, "machine-id"), randomUUID()];
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(`${file}.next`, `${id}\n`, { mode: 0o600 });
  await rename(`${file}.next`, file);
  return id;
}
