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

/**
 * Renders the first-start message about the admin key. The key and the sign-in link are printed only on a terminal, because any other
 * standard output usually ends up in a log.
 */
export function describeAdminKey(home: string, key: string, link: string | undefined, isTerminal: boolean): string[] {
  const file = join(home, "admin.key");
  if (!isTerminal) return [`Admin key saved to ${file}`];
  const lines = [`Admin key (shown once, saved to ${file}): ${key}`];
  return link === undefined ? lines : [...lines, `Console sign-in link (valid once, for five minutes): ${link}`];
}
