import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileNames } from "./working-directory.ts";

// What init has created, and what shows that it is still valid.
const keptFiles = new Set([".terraform", fileNames.lock, fileNames.own]);
const keptOwnFiles = new Set(["backend", "initialised"]);

/** Reduces a working directory to what lets the next run skip init: no configuration, variables, plans or secrets. */
export function coolDown(directory: string): void {
  const own = join(directory, fileNames.own);
  for (const name of readdirSync(directory)) if (!keptFiles.has(name)) rmSync(join(directory, name), { recursive: true });
  for (const name of readdirSync(own)) if (!keptOwnFiles.has(name)) rmSync(join(own, name), { recursive: true });
}
