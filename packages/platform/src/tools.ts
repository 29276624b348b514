import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { processEnvironment, type Environment } from "./config.ts";
import { Fault } from "./fault.ts";
import { platformFaults } from "./faults.ts";

/** A program's path, or the reason why it is not available. */
export type ToolProbe = { readonly found: true; readonly path: string } | { readonly found: false; readonly reason: string };

/** Programs with several possible names or paths outside PATH. All others are looked up by their own name. */
const places: Readonly<Record<string, readonly string[]>> = {
  hosts: ["systemd-nspawn"],
  chromium: ["chromium", "chromium-browser", "google-chrome"],
  pg15: ["/usr/lib/postgresql/15/bin/postgres", "/usr/pgsql-15/bin/postgres", "/opt/homebrew/opt/postgresql@15/bin/postgres"],
};

export function findTool(name: string, environment: Environment = processEnvironment): string | undefined {
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const candidates = (places[name] ?? [name]).flatMap((place) =>
    place.startsWith("/") ? [place] : folders.map((folder) => join(folder, place)),
  );
  return candidates.find(isExecutable);
}

/**
 * Finds a program that a test needs. If it is missing, the caller skips the test. Throws instead if CLOUDWRIGHT_REQUIRE lists the program.
 */
export function requireTool(name: string, environment: Environment = processEnvironment): ToolProbe {
  const path = findTool(name, environment);
  if (path !== undefined) return { found: true, path };
  if (listRequiredTools(environment).includes(name)) {
    throw new Fault(platformFaults.missing_tool, `${name} is listed in CLOUDWRIGHT_REQUIRE but not installed on this machine`);
  }
  return { found: false, reason: `${name} is not installed on this machine` };
}

/** Lists the programs in CLOUDWRIGHT_REQUIRE. Tests must fail rather than skip if one of them is missing. */
export function listRequiredTools(environment: Environment = processEnvironment): string[] {
  const names = (environment["CLOUDWRIGHT_REQUIRE"] ?? "").split(",");
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
