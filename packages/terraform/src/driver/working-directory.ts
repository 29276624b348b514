import { Fault, type ReadonlyJson, type ReadonlyJsonObject, type Secret } from "@cloudwright/platform";
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, relative } from "node:path";
import { terraformFaults } from "../faults.ts";
import { renderIgnoreRules, type IgnoreRule } from "../overrides/ignore-rules.ts";
import { readResources } from "../overrides/read-resources.ts";
import { isOverrideFile, renderOverrides } from "../overrides/render-overrides.ts";
import { identifyBackend, renderBackend, type Backend } from "./backends/backend.ts";
import { renderCliConfig, type ProviderSources } from "./cli-config.ts";
import { requireName } from "./variables.ts";

export interface DirectoryContents {
  readonly directory: string;
  /** A folder to copy, or file contents, keyed by relative path. Omitted if the directory already contains the configuration. */
  readonly configuration?: { readonly from: string } | { readonly files: Readonly<Record<string, string>> };
  readonly variables?: Readonly<Record<string, ReadonlyJson>>;
  /** Changes to the configuration in Terraform's JSON syntax, applied one after the other. The caller must have checked them. */
  readonly overrides?: readonly ReadonlyJsonObject[];
  /** Attributes whose changes are ignored. */
  readonly ignore?: readonly IgnoreRule[];
  readonly secretFile: Readonly<Record<string, ReadonlyJson>>;
  readonly backend?: Backend;
  readonly sources: ProviderSources;
  /** Provider lock file from an earlier init. */
  readonly lockFile?: string;
}

/** Names of the files that the driver writes. */
export const fileNames = {
  variables: "terraform.tfvars.json",
  secrets: "cloudwright-secrets.auto.tfvars.json",
  backend: "cloudwright_backend_override.tf.json",
  lock: ".terraform.lock.hcl",
  erroredState: "errored.tfstate",
  own: ".cloudwright",
} as const;

/** Locations of the driver's own files. */
export interface PreparedDirectory {
  readonly ownDirectory: string;
  readonly homeDirectory: string;
  readonly cliConfigFile: string;
  /** Paths of the backend's secret files, keyed by environment variable. */
  readonly secretFiles: Readonly<Record<string, string>>;
}

/** Creates a private directory and writes all files for a run into it. */
export function prepareDirectory(contents: DirectoryContents): PreparedDirectory {
  const { directory, configuration, variables, secretFile, backend, sources, lockFile } = contents;
  const ownDirectory = join(directory, fileNames.own);
  const homeDirectory = join(ownDirectory, "home");
  for (const folder of [homeDirectory, join(ownDirectory, "plans")]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  bindBackend(directory, ownDirectory, backend);
  if (configuration !== undefined) {
    const files = "from" in configuration ? readFolder(configuration.from) : Object.entries(configuration.files);
    removeOthers(directory, new Set(files.map(([path]) => normalize(path))));
    for (const [path, bytes] of files) writeInside(directory, path, bytes);
  }
  writeOverrides(directory, contents.overrides ?? [], contents.ignore ?? []);
  if (variables !== undefined) {
    for (const name of Object.keys(variables)) requireName(name);
    writeInside(directory, fileNames.variables, JSON.stringify(variables));
  } else rmSync(join(directory, fileNames.variables), { force: true });
  if (Object.keys(secretFile).length > 0) writeInside(directory, fileNames.secrets, JSON.stringify(secretFile));
  else rmSync(join(directory, fileNames.secrets), { force: true });
  if (backend !== undefined) writeInside(directory, fileNames.backend, renderBackend(backend));
  if (lockFile !== undefined) writeInside(directory, fileNames.lock, lockFile);
  if (sources.pluginCache !== undefined) mkdirSync(sources.pluginCache, { recursive: true, mode: 0o700 });
  const cliConfigFile = join(ownDirectory, "terraform.rc");
  writeInside(ownDirectory, "terraform.rc", renderCliConfig(sources));
  return { ownDirectory, homeDirectory, cliConfigFile, secretFiles: writeSecretFiles(ownDirectory, backend?.secretFiles ?? {}) };
}

function writeSecretFiles(ownDirectory: string, files: Readonly<Record<string, Secret>>): Record<string, string> {
  const folder = join(ownDirectory, "backend-files");
  rmSync(folder, { recursive: true, force: true });
  const written = Object.entries(files).map(([variable, secret]) => {
    writeInside(folder, variable, secret.reveal());
    return [variable, join(folder, variable)];
  });
  return Object.fromEntries(written) as Record<string, string>;
}

function writeOverrides(directory: string, overrides: readonly ReadonlyJsonObject[], rules: readonly IgnoreRule[]): void {
  const files = listFolder(directory).filter((entry) => entry.isFile());
  for (const { name } of files.filter((entry) => isOverrideFile(entry.name))) rmSync(join(directory, name));
  if (overrides.length === 0 && rules.length === 0) return;
  const sources = files.filter(({ name }) => isConfigurationFile(name) && !isOverrideFile(name));
  const resources = readResources(sources.map(({ name }) => [name, readFileSync(join(directory, name), "utf8")] as const));
  const ignoring = renderIgnoreRules(rules, resources);
  const all = Object.keys(ignoring).length === 0 ? overrides : [...overrides, ignoring];
  for (const [name, text] of Object.entries(renderOverrides(all, resources))) writeInside(directory, name, text);
}

/** Returns whether Terraform or OpenTofu reads a file as configuration. */
export function isConfigurationFile(name: string): boolean {
  return /\.(tf|tofu)(\.json)?$/.test(name);
}

function bindBackend(directory: string, ownDirectory: string, backend: Backend | undefined): void {
  const file = join(ownDirectory, "backend");
  const identity = identifyBackend(backend);
  if (existsSync(file) && readFileSync(file, "utf8") !== identity) {
    throw new Fault(terraformFaults.other_backend, `${directory} was created for a different state`);
  }
  writeFileSync(file, identity, { mode: 0o600 });
}

function writeInside(directory: string, path: string, bytes: string | Buffer): void {
  const inside = normalize(path);
  if (isAbsolute(inside) || inside.startsWith("..")) {
    throw new Fault(terraformFaults.bad_source, `the configuration cannot contain a file at ${path}`);
  }
  createFile(join(directory, inside), bytes);
}

/** Creates a file, so that it gets the right mode and no link is followed. In the usual case, this is a single attempt. */
function createFile(file: string, bytes: string | Buffer): void {
  try {
    writeFileSync(file, bytes, { mode: 0o600, flag: "wx" });
  } catch {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    rmSync(file, { force: true });
    writeFileSync(file, bytes, { mode: 0o600, flag: "wx" });
  }
}

// Files that a user's local runs leave in a folder. They are not part of the configuration.
const leftovers = /^(\.terraform|.*\.tfstate(\..*)?|terraform\.tfvars(\.json)?|\.terraform\.lock\.hcl)$/;

export function isLeftover(name: string): boolean {
  return leftovers.test(name);
}

function readFolder(folder: string, below = ""): [string, Buffer][] {
  const entries = listFolder(join(folder, below));
  return entries.flatMap((entry): [string, Buffer][] => {
    const path = join(below, entry.name);
    if (isLeftover(entry.name)) return [];
    if (entry.isDirectory()) return readFolder(folder, path);
    if (entry.isFile()) return [[path, readFileSync(join(folder, path))]];
    throw new Fault(terraformFaults.bad_source, `${join(folder, path)} is neither a file nor a folder`);
  });
}

// Terraform would read leftover files from an earlier configuration as part of this one.
function removeOthers(directory: string, kept: ReadonlySet<string>): void {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  for (const { parentPath, name } of files) {
    const path = relative(directory, join(parentPath, name));
    const isOurs = path.split("/").some((part) => part === fileNames.own || isLeftover(part));
    if (!isOurs && !kept.has(path)) rmSync(join(directory, path), { force: true });
  }
}

function listFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    throw new Fault(terraformFaults.bad_source, `${folder} cannot be read`, { cause });
  }
}
