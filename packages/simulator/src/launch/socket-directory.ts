import { chmod, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";
import { isAlive } from "../inventory/file-lock.ts";

const prefix = "sim-";
const socketName = "s";
// Maximum length of a Unix socket path, without the terminating zero byte.
const maxPathBytes = 107;

/** A directory that contains one socket and that only its owner can enter. */
export interface SocketDirectory {
  readonly path: string;
  readonly socket: string;
  remove(): Promise<void>;
}

/** Creates a socket directory. Also removes directories that killed processes left behind. */
export async function createSocketDirectory(parent: string): Promise<SocketDirectory> {
  const longest = Buffer.byteLength(join(parent, `${prefix}${process.pid}-XXXXXX`, socketName));
  if (longest > maxPathBytes) {
    throw new Fault(simulatorFaults.path_too_long, `a socket in ${parent} would have a path of ${longest} bytes`);
  }
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeAbandoned(parent);
  const path = await mkdtemp(join(parent, `${prefix}${process.pid}-`));
  await chmod(path, 0o700);
  return { path, socket: join(path, socketName), remove: () => rm(path, { recursive: true, force: true }) };
}

async function removeAbandoned(parent: string): Promise<void> {
  const found = (await readdir(parent)).flatMap((name) => {
    const pid = Number(/^sim-(?<pid>\d+)-\w{6}$/.exec(name)?.groups?.["pid"]);
    return Number.isNaN(pid) || isAlive(pid) ? [] : [join(parent, name)];
  });
  // A process in another container may not be visible here. Its directory is kept, because its socket still accepts connections.
  await Promise.all(
    found.map(async (path) =>
      (await isUnanswered(join(path, socketName))) ? rm(path, { recursive: true, force: true }) : undefined,
    ),
  );
}

function isUnanswered(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.on("connect", () => {
      connection.destroy();
      resolve(false);
    });
    connection.on("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
  });
}
