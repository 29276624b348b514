import { mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { createToken, Fault, systemClock, type Clock } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";

// A rewrite holds the lock for milliseconds, so the holder of a lock this old must have died.
const staleAfterMs = 30_000;
const giveUpAfterMs = 60_000;

/** Runs `act` while holding a lock file. The file identifies its holder, so the lock of a killed process can be taken over. */
export async function withFileLock<Result>(
  path: string,
  act: (stillHeld: () => Promise<boolean>) => Promise<Result>,
  clock: Clock = systemClock,
): Promise<Result> {
  const mark = `${process.pid} ${createToken()}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const startedMs = clock.now();
  while (!(await take(path, mark))) {
    if (clock.now() - startedMs > giveUpAfterMs)
      throw new Fault(
        simulatorFaults.inventory_busy,
        `another process held the lock ${path} for ${giveUpAfterMs / 1000} seconds`,
      );
    if (await isAbandoned(path)) await breakLock(path);
    else await clock.sleep(2 + Math.floor((clock.now() - startedMs) / 20));
  }
  try {
    return await act(async () => (await readMark(path)) === mark);
  } finally {
    if ((await readMark(path)) === mark) await rm(path, { force: true });
  }
}

async function take(path: string, mark: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(mark);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const [mark, age] = await Promise.all([readMark(path), ageOf(path)]);
  if (mark === undefined || age === undefined) return false;
  return age > staleAfterMs || (mark !== "" && !isAlive(Number(mark.split(" ")[0])));
}

// Two processes that see the same abandoned lock must not both remove it, because the second one would remove the new holder's lock.
async function breakLock(path: string): Promise<void> {
  const breaking = `${path}.break`;
  if (!(await take(breaking, ""))) {
    if (((await ageOf(breaking)) ?? 0) > staleAfterMs) await rm(breaking, { force: true });
    return;
  }
  if (await isAbandoned(path)) await rm(path, { force: true });
  await rm(breaking, { force: true });
}

/** Returns whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function readMark(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

// Uses the system clock, because file timestamps come from it.
async function ageOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => undefined,
  );
}
