import { findNumber, findText, objectOf, parseJson } from "@cloudwright/platform";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ErroredState } from "./command-report.ts";
import { fileNames } from "./working-directory.ts";

/** Finds the state that Terraform could not save and left in the working directory. */
export function findErroredState(directory: string): ErroredState | undefined {
  const path = join(directory, fileNames.erroredState);
  if (!existsSync(path)) return undefined;
  const state = objectOf(parseJson(readFileSync(path, "utf8")));
  const serial = findNumber(state["serial"]);
  const lineage = findText(state["lineage"]);
  return { path, ...(serial === undefined ? {} : { serial }), ...(lineage === undefined ? {} : { lineage }) };
}
