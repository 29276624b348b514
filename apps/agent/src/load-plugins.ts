import type { ServiceExecutor, Stack } from "@cloudwright/deployer";
import { describeError, Fault, isObject, platformFaults } from "@cloudwright/platform";
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";

/** The stacks, configurations and executors that a loaded plug-in adds to the agent's deployer. */
export interface Plugin {
  readonly path: string;
  readonly stacks: readonly Stack[];
  /** Folders of Terraform configurations, with the layout `<service>/<cloud>/<version>`. */
  readonly configurations: readonly string[];
  /** Executors for services that Terraform does not build. */
  readonly executors: readonly ServiceExecutor[];
}

/**
 * Loads modules whose default export is `{ stacks, configurations, executors }`. Throws if any module is unusable, because entities may
 * depend on it.
 */
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
  if (!isObject(exported)) throw refuse(path, "has no default export { stacks, configurations, executors }");
  const { stacks = [], configurations = [], executors = [] } = exported;
  const lists = [stacks, configurations, executors];
  if (!lists.every((each) => Array.isArray(each)) || lists.flat().length === 0) {
    throw refuse(path, "exports no list of stacks, configurations or executors");
  }
  (stacks as unknown[]).forEach((stack, index) => requireService(path, `stacks[${index}]`, stack, stackFunctions));
  (executors as unknown[]).forEach((each, index) => requireService(path, `executors[${index}]`, each, ["checkSpec", "open"]));
  for (const folder of configurations as unknown[]) requireFolder(path, folder);
  return {
    path,
    stacks: stacks as unknown as Stack[],
    configurations: configurations as unknown as string[],
    executors: executors as unknown as ServiceExecutor[],
  };
}

const stackFunctions = ["variables", "environment", "status", "findUntagged"];

function requireService(path: string, place: string, given: unknown, functions: readonly string[]): void {
  const { service, cloud } = isObject(given) ? given : {};
  const isWord = (value: unknown): boolean => typeof value === "string" && /^[a-z][a-z0-9-]*$/.test(value);
  if (!isWord(service) || !isWord(cloud)) throw refuse(path, `exports ${place} without a service and a cloud`);
  for (const name of functions) {
    if (typeof (given as Record<string, unknown>)[name] !== "function")
      throw refuse(path, `exports ${place} without the function ${name}`);
  }
}

function requireFolder(path: string, folder: unknown): void {
  const isThere =
    typeof folder === "string" && isAbsolute(folder) && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isThere)
    throw refuse(path, `exports the configurations folder ${JSON.stringify(folder)}, which is not the absolute path of a folder`);
}

function refuse(path: string, why: string, cause?: unknown): Fault {
  return new Fault(platformFaults.bad_configuration, `CLOUDWRIGHT_AGENT_PLUGINS names ${path}, which ${why}`, { cause });
}
