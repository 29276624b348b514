import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { numberOf, objectOf, parseJson, textOf } from "../json.ts";
import type { ErroredState } from "./command-report.ts";
import { fileNames } from "./working-directory.ts";

/** The state that Terraform could not save and left in the working directory. */
export function findErroredState(directory: string): ErroredState | undefined {
  const path = join(directory, fileNames.erroredState);
  if (!existsSync(path)) return undefined;
  const state = objectOf(parseJson(readFileSync(path, "utf8")));
  const serial = numberOf(state["serial"]);
  const lineage = textOf(state["lineage"]);
  return { path, ...(serial === undefined ? {} : { serial }), ...(lineage === undefined ? {} : { lineage }) };
}
