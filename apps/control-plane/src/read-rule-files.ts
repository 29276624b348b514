import { describeError, Fault } from "@cloudwright/platform";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { controlPlaneFaults } from "./faults.ts";

export interface RuleFile {
  readonly name: string;
  readonly text: string;
}

const ownFolder = fileURLToPath(new URL("../../../policies", import.meta.url));

/** Reads the built-in rules and the rules in the user's folder. */
export function readRuleFiles(folder: string | undefined): RuleFile[] {
  return [...listFolders(ownFolder), ...(folder === undefined ? [] : [folder])].flatMap(readFolder);
}

/** Returns a folder and its subfolders. Rules for a single cloud are in that cloud's subfolder. */
function listFolders(folder: string): string[] {
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [folder, ...inner.map(({ name }) => join(folder, name)).toSorted()];
}

function readFolder(folder: string): RuleFile[] {
  try {
    const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
    return names.toSorted().map((name) => ({ name: join(folder, name), text: readFileSync(join(folder, name), "utf8") }));
  } catch (cause) {
    const message = `the policies in ${folder} cannot be read: ${describeError(cause)}`;
    throw new Fault(controlPlaneFaults.policies_unreadable, message, { cause });
  }
}
