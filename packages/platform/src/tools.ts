import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { processEnvironment, type Environment } from "./config.ts";
import { Fault } from "./fault.ts";
import { platformFaults } from "./faults.ts";

/** Where a program is, or one line that says why there is none. */
export type ToolProbe = { readonly found: true; readonly path: string } | { readonly found: false; readonly reason: string };

/** Programs that go by several names or live outside PATH; everything else is looked up under its own name. */
const places: Readonly<Record<string, readonly string[]>> = {
  chromium: ["chromium", "chromium-browser", "google-chrome"],
  pg15: ["/usr/lib/postgresql/15/bin/postgres", "/usr/pgsql-15/bin/postgres", "/opt/homebrew/opt/postgresql@15/bin/postgres"],
};

/** The path of a program of this machine. */
export function findTool(name: string, environment: Environment = processEnvironment): string | undefined {
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const candidates = (places[name] ?? [name]).flatMap((place) =>
    place.startsWith("/") ? [place] : folders.map((folder) => join(folder, place)),
  );
  return candidates.find(isExecutable);
}

/** Finds a program that a test needs; its absence is a reason to skip, and a fault where CLOUDWRIGHT_REQUIRE names it. */
export function requireTool(name: string, environment: Environment = processEnvironment): ToolProbe {
  const path = findTool(name, environment);
  if (path !== undefined) return { found: true, path };
  if (listRequiredTools(environment).includes(name)) {
    throw new Fault(platformFaults.missing_tool, `${name} is not on this machine, but CLOUDWRIGHT_REQUIRE names it`);
  }
  return { found: false, reason: `${name} is not on this machine` };
}

/** The tools whose absence must fail, from CLOUDWRIGHT_REQUIRE. */
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
