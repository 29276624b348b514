import { describeError, Fault } from "@cloudwright/platform/fault";
import { writeFileSync } from "node:fs";
import { cliFaults } from "./faults.ts";

/** Writes a secret to a new file that only the user can read. Refuses to replace a file, because it may be another key. */
export function writeSecretFile(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw new Fault(cliFaults.usage, `cannot write ${file}: ${describeError(error)}`);
  }
}
