import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Returns whether the home still has the first user's key. */
export function hasAdminKey(home: string): boolean {
  return existsSync(join(home, "admin.key"));
}

/** Stores the first user's key in the home directory, readable by its owner only. */
export function writeAdminKey(home: string, key: string): void {
  const file = join(home, "admin.key");
  writeFileSync(`${file}.next`, `${key}\n`, { mode: 0o600 });
  renameSync(`${file}.next`, file);
}
