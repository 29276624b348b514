import type { Stack } from "@cloudwright/deployer";
import { describeError, Fault, isObject, platformFaults } from "@cloudwright/platform";
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";

/** A loaded plug-in: what it adds to the agent's deployer. */
export interface Plugin {
  readonly path: string;
  readonly stacks: readonly Stack[];
  /** Folders in the layout `<service>/<cloud>/<version>`. */
  readonly configurations: readonly string[];
}

/** Loads modules whose default export is `{ stacks, configurations }`. An unusable one stops the start, because entities rely on it. */
export function loadPlugins(paths: readonly string[]): Promise<Plugin[]> {
  return Promise.all(paths.map(loadPlugin));
}

async function loadPlugin(path: string): Promise<Plugin> {
  let module: { readonly default?: unknown };
  try {
    module = (await import(pathToFileURL(path).href)) as typeof module;
  } catch (cause) {
    throw refuse(path, `cannot be loaded: ${describeError(cause)}`, cause);
  }
  const { default: exported } = module;
  if (!isObject(exported)) throw refuse(path, "has no default export { stacks, configurations }");
  const { stacks = [], configurations = [] } = exported;
  if (!Array.isArray(stacks) || !Array.isArray(configurations) || stacks.length + configurations.length === 0) {
    throw refuse(path, "exports neither a list of stacks nor one of configurations");
  }
  stacks.forEach((stack, index) => requireStack(path, stack, index));
  for (const folder of configurations as unknown[]) requireFolder(path, folder);
  return { path, stacks: stacks as Stack[], configurations: configurations as string[] };
}

function requireStack(path: string, stack: unknown, index: number): void {
  const { service, cloud } = isObject(stack) ? stack : {};
  const isWord = (value: unknown): boolean => typeof value === "string" && /^[a-z][a-z0-9-]*$/.test(value);
  if (!isWord(service) || !isWord(cloud)) throw refuse(path, `exports stacks[${index}] without a service and a cloud`);
  for (const name of ["variables", "environment", "status", "findUntagged"] as const) {
    if (typeof (stack as Record<string, unknown>)[name] !== "function")
      throw refuse(path, `exports stacks[${index}] without the function ${name}`);
  }
}

function requireFolder(path: string, folder: unknown): void {
  const isThere =
    typeof folder === "string" && isAbsolute(folder) && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isThere)
    throw refuse(path, `exports the configurations ${JSON.stringify(folder)}, which are no folder by its absolute path`);
}

function refuse(path: string, why: string, cause?: unknown): Fault {
  return new Fault(platformFaults.bad_configuration, `CLOUDWRIGHT_AGENT_PLUGINS names ${path}, which ${why}`, { cause });
}
