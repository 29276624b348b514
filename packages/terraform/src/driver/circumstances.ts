import { Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { terraformFaults } from "../faults.ts";
import type { PlanCircumstances } from "./plan-parcel.ts";
import type { Session } from "./session.ts";
import { fileNames, isLeftover } from "./working-directory.ts";

/** Describes the current working directory: program, configuration, provider lock, state and variables. */
export function describeCircumstances(session: Session): PlanCircumstances {
  const { binary, directory, stateId } = session;
  return {
    program: `${binary.product} ${binary.version}`,
    configuration: fingerprintConfiguration(directory),
    lockFile: hash(readLockFile(directory) ?? ""),
    state: stateId,
    variables: existsSync(join(directory, fileNames.variables)) ? hash(readFileSync(join(directory, fileNames.variables))) : "",
  };
}

const words: Readonly<Record<keyof PlanCircumstances, string>> = {
  program: "program",
  configuration: "configuration",
  lockFile: "provider lock",
  state: "state",
  variables: "variables",
};

/**
 * Throws if a plan was made with a different program, configuration, provider lock, state or variables. If the directory has no variables,
 * those in the plan are accepted.
 */
export function requireSameCircumstances(made: PlanCircumstances, here: PlanCircumstances): void {
  const asked = here.variables === "" ? { ...here, variables: made.variables } : here;
  const other = (Object.keys(words) as (keyof PlanCircumstances)[]).filter((name) => made[name] !== asked[name]);
  if (other.length === 0) return;
  const which = other.map((name) => words[name]).join(", ");
  const programs = other.includes("program") ? ` (it was made by ${made.program}, but this directory uses ${here.program})` : "";
  throw new Fault(terraformFaults.plan_mismatch, `the plan was made with a different ${which}${programs}`, {
    extra: { other: which },
  });
}

/** Returns the provider lock file that init wrote, or undefined if all providers are already running. */
export function readLockFile(directory: string): string | undefined {
  const file = join(directory, fileNames.lock);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

// Hashes all files in a working directory except variables.
function fingerprintConfiguration(directory: string): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .filter((path) => path !== fileNames.secrets && !path.split("/").some((part) => part === fileNames.own || isLeftover(part)))
    .toSorted();
  return hash(JSON.stringify(paths.map((path) => [path, hash(readFileSync(join(directory, path)))])));
}

function hash(bytes: string | Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
