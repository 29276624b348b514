import type { AgentConfig } from "@cloudwright/platform";
import { createBinaries, createSpawn } from "@cloudwright/terraform";
import { anyTerraform } from "./own-deployer.ts";
import type { CommandDeps } from "./run-agent.ts";

/** Finds Terraform on PATH or in the cache. Otherwise downloads the newest release from its vendor, verifies it and caches it. */
export async function fetchTerraform({ shutdown, print }: CommandDeps, config: AgentConfig): Promise<void> {
  const { childEnvironment, cacheDirectory, terraformMirror } = config;
  const download = terraformMirror === undefined ? {} : { mirror: terraformMirror };
  const options = { path: childEnvironment["PATH"] ?? "", cacheDirectory, download };
  const binaries = createBinaries({ spawn: createSpawn(childEnvironment) }, options);
  const { version, path } = await binaries.get("terraform", anyTerraform, shutdown.signal);
  print(`Terraform ${version} is installed at ${path}`);
  await shutdown.close("Terraform is available");
}
