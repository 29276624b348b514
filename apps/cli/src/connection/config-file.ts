import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createToken, isObject } from "@cloudwright/platform";
import { Fault, describeError } from "@cloudwright/platform/fault";
import { cliFaults } from "../faults.ts";

/** A named connection: a server, an API key and a default project. */
export interface ContextEntry {
  readonly server: string;
  readonly apiKey?: string;
  readonly project?: string;
}

/** The content of config.yaml in the home directory. */
export interface Config {
  readonly currentContext?: string;
  readonly contexts: Readonly<Record<string, ContextEntry>>;
}

export function configPath(home: string): string {
  return join(home, "config.yaml");
}

/** Reads config.yaml. Returns an empty configuration if the file does not exist. */
export async function readConfig(home: string): Promise<Config> {
  const path = configPath(home);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { contexts: {} };
    throw new Fault(cliFaults.bad_config, `cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
  const { parse } = await import("yaml");
  let value: unknown;
  try {
    value = parse(text) ?? {};
  } catch (cause) {
    // The parser's message quotes the offending lines, which may contain an API key.
    throw new Fault(cliFaults.bad_config, `${path} is not valid YAML`, { cause: (cause as Error).name });
  }
  return checkConfig(value, path);
}

/** Writes config.yaml atomically, with read access for its owner only. */
export async function writeConfig(home: string, config: Config): Promise<void> {
  const { stringify } = await import("yaml");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const path = configPath(home);
  const next = `${path}.${createToken().slice(0, 8)}`;
  try {
    writeFileSync(next, stringify(config), { mode: 0o600, flag: "wx" });
    chmodSync(next, 0o600);
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

function checkConfig(value: unknown, path: string): Config {
  const wrong = (what: string): Fault => new Fault(cliFaults.bad_config, `${path}: ${what}`);
  if (!isObject(value)) throw wrong("expected a map");
  const { currentContext, contexts = {} } = value;
  if (currentContext !== undefined && typeof currentContext !== "string") throw wrong("currentContext must be a string");
  if (!isObject(contexts)) throw wrong("contexts must be a map");
  for (const [name, entry] of Object.entries(contexts)) {
    if (!isObject(entry) || typeof entry["server"] !== "string") throw wrong(`context ${name} has no server`);
    for (const field of ["apiKey", "project"]) {
      if (entry[field] !== undefined && typeof entry[field] !== "string")
        throw wrong(`context ${name}: ${field} must be a string`);
    }
  }
  return {
    ...(currentContext === undefined ? {} : { currentContext }),
    contexts: contexts as unknown as Record<string, ContextEntry>,
  };
}
