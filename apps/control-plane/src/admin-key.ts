import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function hasAdminKey(home: string): boolean {
  return existsSync(join(home, "admin.key"));
}

/** Stores the first user's API key in `admin.key`, which only the file's owner can read. */
export function writeAdminKey(home: string, key: string): void {
  const file = join(home, "admin.key");
  writeFileSync(`${file}.next`, `${key}\n`, { mode: 0o600 });
  renameSync(`${file}.next`, file);
}
