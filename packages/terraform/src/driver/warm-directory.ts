import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileNames } from "./working-directory.ts";

// Files that init created, and the marker that shows whether they are still valid.
const keptFiles = new Set([".terraform", fileNames.lock, fileNames.own]);
const keptOwnFiles = new Set(["backend", "initialised"]);

/**
 * Deletes everything from a working directory except what the next run needs to skip init. No configuration, variables, plans or secrets
 * remain.
 */
export function coolDown(directory: string): void {
  const own = join(directory, fileNames.own);
  for (const name of readdirSync(directory)) if (!keptFiles.has(name)) rmSync(join(directory, name), { recursive: true });
  for (const name of readdirSync(own)) if (!keptOwnFiles.has(name)) rmSync(join(own, name), { recursive: true });
}
