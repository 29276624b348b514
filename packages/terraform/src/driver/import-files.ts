import type { ReadonlyJson, ReadonlyJsonObject } from "@cloudwright/platform";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../events/diagnostic.ts";
import { readOutputNames } from "../overrides/read-output-names.ts";
import { readResources } from "../overrides/read-resources.ts";
import { isConfigurationFile } from "./working-directory.ts";

/** An existing resource and its address in the configuration. */
export interface ResourceImport {
  readonly address: string;
  readonly id: string;
}

const blocksFile = "cloudwright_imports.tf.json";
const overrideFile = "cloudwright_imports_override.tf.json";

/** How a plan deviates from the configuration. */
interface ImportPlanOptions {
  readonly hasOutputs: boolean;
  /** If true, the plan leaves imported resources as they are. */
  readonly keepsImported: boolean;
  /** If true, `create_before_destroy` is ignored. */
  readonly destroysFirst: boolean;
}

/** Runs a command with `import` blocks in the configuration. They are removed afterwards, because later commands must not repeat them. */
export function withImportBlocks<Result>(
  directory: string,
  imports: readonly ResourceImport[],
  { hasOutputs, keepsImported, destroysFirst }: ImportPlanOptions,
  command: () => Promise<Result>,
): Promise<Result> {
  // One line per block, so that the line of a diagnostic identifies the block.
  const blocks = imports.map(({ address, id }) => JSON.stringify({ to: address, id: escapeTemplate(id) }));
  const overrides = {
    ...(hasOutputs ? {} : renderEmptyOutputs(readSources(directory))),
    ...renderLifecycles(readSources(directory), imports, { keepsImported, destroysFirst }),
  };
  return withFiles(
    directory,
    {
      ...(blocks.length === 0 ? {} : { [blocksFile]: `{"import":[\n${blocks.join(",\n")}\n]}\n` }),
      ...(Object.keys(overrides).length === 0 ? {} : { [overrideFile]: JSON.stringify(overrides) }),
    },
    command,
  );
}

/**
 * Runs `terraform import` with a configuration that accepts the address: the resource has exactly this instance, regardless of the
 * variables. No output is evaluated, because an output may depend on resources that the state does not contain yet.
 */
export function withImportTarget<Result>(directory: string, address: string, command: () => Promise<Result>): Promise<Result> {
  const sources = readSources(directory);
  const target = findInstance(address);
  const isConfigured = readResources(sources).some(({ type, name }) => type === target?.type && name === target.name);
  const resource = target === undefined ? {} : { resource: { [target.type]: { [target.name]: renderInstance(target.key) } } };
  return withFiles(
    directory,
    {
      ...(isConfigured ? {} : { [blocksFile]: JSON.stringify(resource) }),
      [overrideFile]: JSON.stringify({ ...renderEmptyOutputs(sources), ...(isConfigured ? resource : {}) }),
    },
    command,
  );
}

/** Returns the imports whose addresses a failed plan did not find in the configuration. */
export function listUnconfiguredImports(
  imports: readonly ResourceImport[],
  diagnostics: readonly Diagnostic[],
): readonly ResourceImport[] {
  const missing = diagnostics.filter(
    ({ severity, summary }) => severity === "error" && /import target does not exist/i.test(summary),
  );
  return imports.filter(({ address }, index) =>
    missing.some(({ file, line, detail }) => (file === blocksFile && line === index + 2) || detail.includes(` ${address} `)),
  );
}

async function withFiles<Result>(
  directory: string,
  files: Readonly<Record<string, string>>,
  command: () => Promise<Result>,
): Promise<Result> {
  const remove = (): void => [blocksFile, overrideFile].forEach((name) => rmSync(join(directory, name), { force: true }));
  remove();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text, { mode: 0o600 });
  try {
    return await command();
  } finally {
    remove();
  }
}

function readSources(directory: string): [name: string, text: string][] {
  const names = readdirSync(directory).filter(
    (name) => isConfigurationFile(name) && name !== blocksFile && name !== overrideFile,
  );
  return names.map((name) => [name, readFileSync(join(directory, name), "utf8")]);
}

function renderEmptyOutputs(sources: readonly [name: string, text: string][]): ReadonlyJsonObject {
  const names = readOutputNames(sources);
  if (names.length === 0) return {};
  return { output: Object.fromEntries(names.map((name): [string, ReadonlyJson] => [name, { value: null }])) };
}

/**
 * Renders overrides for `lifecycle` blocks. With `ignore_changes = all`, a plan ignores all differences between the configuration and the
 * resource.
 */
function renderLifecycles(
  sources: readonly [name: string, text: string][],
  imports: readonly ResourceImport[],
  { keepsImported, destroysFirst }: Omit<ImportPlanOptions, "hasOutputs">,
): ReadonlyJsonObject {
  if (!keepsImported && !destroysFirst) return {};
  const imported = new Set(imports.map(({ address }) => address.replace(/\[.*/su, "")));
  const blocks: Record<string, Record<string, ReadonlyJson>> = {};
  for (const { type, name } of readResources(sources)) {
    const isKept = keepsImported && imported.has(`${type}.${name}`);
    if (!isKept && !destroysFirst) continue;
    const lifecycle = {
      ...(isKept ? { ignore_changes: "all" } : {}),
      ...(destroysFirst ? { create_before_destroy: false } : {}),
    };
    blocks[type] = { ...blocks[type], [name]: { lifecycle } };
  }
  return Object.keys(blocks).length === 0 ? {} : { resource: blocks };
}

interface Instance {
  readonly type: string;
  readonly name: string;
  readonly key: string | undefined;
}

/** Splits `TYPE.NAME["KEY"]`. Returns undefined for a resource in a module or with a number instead of a key. */
function findInstance(address: string): Instance | undefined {
  const [, type, name, key] = /^([^.[]+)\.([^.[]+)(?:\[(".*")\])?$/su.exec(address) ?? [];
  if (type === undefined || name === undefined) return undefined;
  return { type, name, key: key === undefined ? undefined : (JSON.parse(key) as string) };
}

function renderInstance(key: string | undefined): ReadonlyJsonObject {
  return key === undefined ? {} : { for_each: `\${toset([${JSON.stringify(escapeTemplate(key))}])}` };
}

// In Terraform's JSON syntax, a string is a template.
function escapeTemplate(text: string): string {
  return text.replaceAll(/[$%](?=\{)/g, "$&$&");
}
