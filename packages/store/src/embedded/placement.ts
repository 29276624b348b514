import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readlink, realpath, stat, symlink } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Fault, type Environment, type Logger } from "@cloudwright/platform";
import { embeddedFaults } from "./faults.ts";
import {
  findServiceUser,
  isKnownUser,
  runAsSelf,
  runAsUser,
  runInNamespace,
  runToEnd,
  serviceUsers,
  type RunAs,
} from "./run-as.ts";

/** The user that runs the server, and the directory for its data and socket. */
export interface Placement {
  readonly runAs: RunAs;
  readonly base: string;
}

/**
 * Chooses the server's user and directory. The directory is the home directory if the server's user can access it. Otherwise it is a
 * directory under `systemDirectory`, and `<home>/data` becomes a link to it, so that later starts find the data. If data exists, its owner
 * determines the user.
 */
export async function choosePlacement(
  deps: { log: Logger; environment: Environment },
  options: { home: string; systemDirectory: string },
): Promise<Placement> {
  await mkdir(options.home, { recursive: true, mode: 0o700 });
  const home = await realpath(options.home);
  const link = join(home, "data");
  const data = await followLink(link);
  const base = dirname(data);
  if (process.getuid?.() !== 0) return { runAs: await chooseOrdinary(deps, base), base };

  const owner = await stat(data).catch(() => undefined);
  if (owner !== undefined) return { runAs: await requireOwner(deps, data, owner), base };
  for (const runAs of await listIdentities(home)) {
    if (await canReach(deps, runAs, base)) return { runAs, base };
  }

  const runAs = await findServiceUser();
  if (runAs === undefined) {
    throw new Fault(
      embeddedFaults.embedded_no_identity,
      `there is no user ${serviceUsers.join(" or ")} and no user namespace for the home directory ${home}`,
    );
  }
  const elsewhere = join(options.systemDirectory, createHash("sha256").update(home).digest("hex").slice(0, 16));
  await makeReachable(options.systemDirectory);
  await makeReachable(elsewhere);
  await symlink(join(elsewhere, "data"), link).catch(ignoreExisting);
  deps.log.warn({ home, base: elsewhere }, "the database's user cannot access the home directory, so its data is stored outside");
  return { runAs, base: elsewhere };
}

/**
 * Containers often run with a user id that has no name, and initdb rejects such a user. In a user namespace, the id can be mapped to one
 * that has a name.
 */
async function chooseOrdinary(deps: { environment: Environment }, base: string): Promise<RunAs> {
  if (hasName()) return runAsSelf();
  const named = await runInNamespace();
  return (await canReach(deps, named, base)) ? named : runAsSelf();
}

function hasName(): boolean {
  try {
    return userInfo().username !== "";
  } catch {
    return false;
  }
}

/**
 * Lists candidate users in order of preference. The home directory's owner comes first, so that the home remains usable without root. A
 * namespace comes next, because it needs no directory outside the home.
 */
async function listIdentities(home: string): Promise<RunAs[]> {
  const owner = await stat(home);
  const user = await findServiceUser();
  const own = owner.uid !== 0 && (await isKnownUser(owner.uid)) ? [runAsUser(owner.uid, owner.gid)] : [];
  return [...own, await runInNamespace(), ...(user === undefined ? [] : [user])];
}

async function requireOwner(
  deps: { environment: Environment },
  data: string,
  owner: { uid: number; gid: number },
): Promise<RunAs> {
  const runAs = owner.uid === 0 ? await runInNamespace() : runAsUser(owner.uid, owner.gid);
  if (await canReach(deps, runAs, data)) return runAs;
  throw new Fault(
    embeddedFaults.embedded_no_identity,
    `${data} belongs to user ${owner.uid}, and PostgreSQL cannot run as that user here`,
  );
}

async function canReach(deps: { environment: Environment }, runAs: RunAs, directory: string): Promise<boolean> {
  const { succeeded } = await runToEnd(runAs, deps.environment, "/bin/sh", ["-c", 'test -x "$0"', directory]);
  return succeeded;
}

async function followLink(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return path;
  // Even if its target is missing, the link shows where the data belongs.
  return found.isSymbolicLink() ? resolve(dirname(path), await readlink(path)) : path;
}

async function makeReachable(directory: string): Promise<void> {
  // The umask restricts the mode that mkdir sets, so chmod sets the mode again.
  if ((await mkdir(directory, { recursive: true, mode: 0o755 })) !== undefined) await chmod(directory, 0o755);
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
