import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "../faults.ts";

/** Parses NAME=VALUE lines. Allows empty lines, comments, `export` and quotes. Errors contain the line number but never the line itself. */
export function parseEnvFile(text: string, path: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, rest = ""] = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)/s.exec(line.trim()) ?? [];
    const value = /^(?:"([^"]*)"|'([^']*)'|(.*))$/.exec(rest.trim());
    if (name === undefined || value === null)
      throw new Fault(cliFaults.bad_file, `${path}:${index + 1} does not have the form NAME=VALUE`);
    values[name] = value[1] ?? value[2] ?? value[3] ?? "";
  }
  return values;
}
