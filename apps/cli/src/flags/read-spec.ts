import { isObject } from "@cloudwright/platform";
import { readFileSync } from "node:fs";
import { Fault, describeError } from "@cloudwright/platform/fault";
import { parseYamlDocuments } from "../documents.ts";
import { cliFaults } from "../faults.ts";
import type { World } from "../world.ts";
import { parseDuration } from "../duration.ts";
import { parseEnvFile } from "./env-file.ts";
import { parseRecord } from "./parse-record.ts";
import type { SpecFlag } from "./spec-flags.ts";

type Values = Readonly<Record<string, unknown>>;
type Tree = { [name: string]: unknown };

/** Builds a spec from a command's flags. Omits the fields that were not given. */
export async function readSpec(world: World, flags: readonly SpecFlag[], values: Values): Promise<Tree> {
  const spec: Tree = {};
  const envPath = values["envFile"] as string | undefined;
  const envFile = envPath === undefined ? {} : parseEnvFile(readText(envPath), envPath);
  const besideSecrets = new Set(flags.filter((flag) => flag.isSecret).map((flag) => parentOf(flag)));
  let stdinFlag: string | undefined;
  for (const flag of flags) {
    const key = camel(flag.name);
    if (flag.isSecret && values[`${key}Stdin`] === true) {
      if (stdinFlag !== undefined) throw usage(`--${stdinFlag}-stdin and --${flag.name}-stdin cannot both read standard input`);
      stdinFlag = flag.name;
      setPath(spec, flag.path, trimEnd(await world.stdin.readAll()));
    } else if (flag.isSecret && values[`${key}File`] !== undefined) {
      setPath(spec, flag.path, trimEnd(readText(String(values[`${key}File`]))));
    } else if (flag.type === "document") {
      const path = values[`${key}File`] as string | undefined;
      if (path !== undefined) setPath(spec, flag.path, await readDocument(path));
    } else if (values[key] !== undefined) {
      const value = parseValue(world, flag, values[key]);
      if (flag.type === "case") getPath(spec, [...flag.path, String(value)]);
      else setPath(spec, flag.path, value);
    } else if (besideSecrets.has(parentOf(flag)) && flag.type === "text") {
      const given = envFile[flag.name.toUpperCase().replaceAll("-", "_")];
      if (given !== undefined) setPath(spec, flag.path, given);
    }
  }
  checkCases(spec, flags);
  return spec;
}

/** Parses repeated `a=1` flags into a map. In an update, `a-` removes a key. */
export function parsePairs(flag: string, pairs: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf("=");
      if (equals > 0) return [pair.slice(0, equals), pair.slice(equals + 1)];
      if (pair.length > 1 && pair.endsWith("-")) return [pair.slice(0, -1), null];
      throw usage(`--${flag} takes key=value, not "${pair}"`);
    }),
  );
}

function parseValue(world: World, flag: SpecFlag, value: unknown): unknown {
  switch (flag.type) {
    case "number":
      return parseInteger(flag.name, String(value));
    case "time":
      return parseTime(world, flag.name, String(value));
    case "list":
      return (value as string[]).flatMap((part) => part.split(",")).filter((part) => part !== "");
    case "map":
      // In a merge patch, an empty map changes nothing, and null removes the whole map.
      return isCleared(value as string[]) ? null : parsePairs(flag.name, value as string[]);
    case "records":
      return isCleared(value as string[]) ? [] : (value as string[]).map((record) => parseRecord(flag, record));
    case "text":
    case "switch":
    case "case":
    case "document":
      return value;
  }
}

/** Returns whether a flag for several values was given only as an empty string, which clears the list. */
function isCleared(values: readonly string[]): boolean {
  return values.every((value) => value === "");
}

function parseInteger(flag: string, text: string): number {
  if (!/^-?\d{1,10}$/.test(text)) throw usage(`--${flag} takes a whole number, not "${text}"`);
  return Number(text);
}

/** Parses a date such as `2027-01-31`, or a duration such as `30d`, which is counted from now. */
function parseTime(world: World, flag: string, text: string): string {
  const duration = parseDuration(text);
  const at = duration === undefined ? Date.parse(text) : world.clock.now() + duration;
  if (Number.isNaN(at))
    throw usage(`--${flag} takes a date such as 2027-01-31 or a duration such as 30d, counted from now, not "${text}"`);
  return new Date(at).toISOString();
}

function checkCases(spec: Tree, flags: readonly SpecFlag[]): void {
  for (const flag of flags.filter(({ type }) => type === "case")) {
    const at = findPath(spec, flag.path);
    const chosen = (flag.choices ?? []).filter((choice) => at?.[choice] !== undefined);
    if (chosen.length > 1) throw usage(`flags for ${chosen.join(" and ")} cannot be mixed; choose one with --${flag.name}`);
  }
}

function setPath(spec: Tree, path: readonly string[], value: unknown): void {
  getPath(spec, path.slice(0, -1))[path.at(-1) as string] = value;
}

/** Returns the object at a path. Creates missing objects along the way. */
function getPath(spec: Tree, path: readonly string[]): Tree {
  let at = spec;
  for (const name of path) at = (at[name] ??= {}) as Tree;
  return at;
}

function findPath(spec: Tree, path: readonly string[]): Tree | undefined {
  return path.reduce<Tree | undefined>((at, name) => at?.[name] as Tree | undefined, spec);
}

function parentOf(flag: SpecFlag): string {
  return flag.path.slice(0, -1).join(".");
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Fault(cliFaults.bad_file, `cannot read ${path}: ${describeError(cause)}`, { cause });
  }
}

/** Reads a YAML or JSON file that must contain a single map. */
async function readDocument(path: string): Promise<Tree> {
  const [value, ...more] = await parseYamlDocuments(readText(path), path);
  if (isObject(value) && more.length === 0) return value;
  throw new Fault(cliFaults.bad_file, `${path} must contain a single YAML map or JSON object`);
}

/** Removes the final newline, which editors add and which is not part of the secret. */
function trimEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}

function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function usage(message: string): Fault {
  return new Fault(cliFaults.usage, message);
}
