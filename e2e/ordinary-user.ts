import { execFile } from "node:child_process";
import { chmod, chown, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Finds an unprivileged user who can read this repository, and creates a home directory with mode 0700 for that user. Returns a reason if
 * there is no such user.
 */
export async function findOrdinaryUser(): Promise<{ home: string; identity: Identity } | { reason: string }> {
  const identity = process.getuid?.() === 0 ? await findNobody() : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  if (identity === undefined) return { reason: "this machine has no user nobody" };
  const root = fileURLToPath(new URL("..", import.meta.url));
  const tried = await promisify(execFile)(`${root}/node_modules/.bin/node`, ["--version"], { cwd: root, ...identity }).catch(
    () => undefined,
  );
  if (tried === undefined) return { reason: "the user nobody cannot read this repository" };
  const home = await mkdtemp(join(tmpdir(), "cw-e2e-"));
  await chmod(home, 0o700);
  await chown(home, identity.uid, identity.gid);
  return { home, identity };
}

async function findNobody(): Promise<Identity | undefined> {
  const users = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n").map((line) => line.split(":"));
  const [, , uid, gid] = users.find(([name]) => name === "nobody") ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
