import {
  createDeployer,
  createRunLogs,
  fetchHelm,
  createWarmDirectories,
  readCatalogue,
  type Deployer,
} from "@cloudwright/deployer";
import { describeError, type AgentConfig, type Logger } from "@cloudwright/platform";
import { createBinaries, createSpawn } from "@cloudwright/terraform";
import { join } from "node:path";
import { createClouds } from "./clouds.ts";
import { createHostProvider } from "./hosts/host-provider.ts";
import type { HostService } from "./hosts/open-host.ts";
import { loadPlugins } from "./load-plugins.ts";

/** The supported Terraform versions. */
export const anyTerraform = ">= 1.9, < 2.0";

interface OwnDeployerDeps {
  readonly log: Logger;
  /** The agent's machine. Absent if it is not a host. */
  readonly hosts?: HostService | undefined;
}

/**
 * Creates the agent's own deployer, which works in the subfolder `below` of the agent's directory. Returns undefined in demo mode. If
 * Terraform is not found and the machine is not a host, logs the reason and returns undefined.
 */
export async function createOwnDeployer(
  { log, hosts }: OwnDeployerDeps,
  config: AgentConfig,
  below = "",
): Promise<Deployer | undefined> {
  if (config.demo.enabled) return undefined;
  const { childEnvironment, cacheDirectory, directory, backendSecrets, gateHosts } = config;
  const plugins = await loadPlugins(config.plugins);
  for (const { path, stacks } of plugins) log.info({ path, stacks: stacks.map(describeStack) }, "plug-in loaded");
  const spawn = createSpawn(childEnvironment);
  const binaries = createBinaries({ spawn }, { path: childEnvironment["PATH"] ?? "", cacheDirectory });
  try {
    const { version, path } = await binaries.get("terraform", anyTerraform);
    log.info({ version, path }, "terraform found");
  } catch (error) {
    const what = hosts === undefined ? "anything" : "anything but what its machine hosts";
    log.warn({ reason: describeError(error) }, `terraform not found; this agent cannot build ${what}`);
    if (hosts === undefined) return undefined;
  }
  return createDeployer({
    binaries,
    addOns: findAddOns(config),
    backendSecrets,
    gateHosts,
    ...(config.runMemoryBytes === undefined ? {} : { runMemoryBytes: config.runMemoryBytes }),
    ...createClouds(config, { local: createHostProvider(hosts) }),
    warm: createWarmDirectories({ directory: join(directory, below, "warm") }),
    logs: createRunLogs({ directory: join(directory, below, "logs") }),
    stacks: plugins.flatMap(({ stacks }) => stacks),
    configurations: plugins.flatMap(({ configurations }) => configurations),
    executors: plugins.flatMap(({ executors }) => executors),
  });
}

function findAddOns({
  addOns,
  childEnvironment,
  cacheDirectory,
  helmMirror,
}: AgentConfig): NonNullable<Parameters<typeof createDeployer>[0]["addOns"]> {
  const source = { path: childEnvironment["PATH"] ?? "", cacheDirectory, mirror: helmMirror };
  return {
    catalogue: addOns.catalogue === undefined ? [] : readCatalogue(addOns.catalogue),
    ...(addOns.charts === undefined ? {} : { charts: addOns.charts }),
    helm: (signal) => fetchHelm(source, signal),
  };
}

function describeStack({ service, cloud }: { readonly service: string; readonly cloud: string }): string {
  return `${service} in ${cloud}`;
}
