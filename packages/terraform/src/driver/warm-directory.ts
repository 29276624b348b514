import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileNames } from "./working-directory.ts";

// What init made, and by what it is known to be still right.
const keptFiles = new Set([".terraform", fileNames.lock, fileNames.own]);
const keptOwnFiles = new Set(["backend", "initialised"]);

/** Leaves of a working directory what spares the next run its init: no configuration, no variables, no plan, no secret. */
export function coolDown(directory: string): void {
  const own = join(directory, fileNames.own);
  for (const name of readdirSync(directory)) if (!keptFiles.has(name)) rmSync(join(directory, name), { recursive: true });
  for (const name of readdirSync(own)) if (!keptOwnFiles.has(name)) rmSync(join(own, name), { recursive: true });
}
