import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Whether the first user's key is still in the home. */
export function hasAdminKey(home: string): boolean {
  return existsSync(join(home, "admin.key"));
}

/** Keeps the first user's key where only the owner of the home can read it. */
export function writeAdminKey(home: string, key: string): void {
  const file = join(home, "admin.key");
  writeFileSync(`${file}.next`, `${key}\n`, { mode: 0o600 });
  renameSync(`${file}.next`, file);
}
