import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "../faults.ts";

/** Parses NAME=VALUE lines. Allows empty lines, comments, `export` and quotes. Errors contain the line number but never the line itself. */
export function parseEnvFile(text: string, path: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*?))\s*$/.exec(line);
    if (match === null) throw new Fault(cliFaults.bad_file, `${path}:${index + 1} is not NAME=VALUE`);
    values[match[1] as string] = match[2] ?? match[3] ?? match[4] ?? "";
  }
  return values;
}
