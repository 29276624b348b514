import { createDeployer, type Deployer } from "@cloudwright/deployer";
import { describeError, type AgentConfig, type Logger } from "@cloudwright/platform";
import { createBinaries, createSpawn } from "@cloudwright/terraform";
import { createOpenCloud } from "./simulated-cloud.ts";

const anyTerraform = ">= 1.9, < 2.0";

/** The deployer that runs Terraform here; undefined, with a line that says why, where there is no Terraform. */
export async function createOwnDeployer({ log }: { log: Logger }, config: AgentConfig): Promise<Deployer | undefined> {
  if (config.demo.enabled) return undefined;
  const { childEnvironment, cacheDirectory, directory } = config;
  const spawn = createSpawn(childEnvironment);
  const binaries = createBinaries({ spawn }, { path: childEnvironment["PATH"] ?? "", cacheDirectory });
  try {
    const { version, path } = await binaries.get("terraform", anyTerraform);
    log.info({ version, path }, "terraform found");
  } catch (error) {
    log.warn({ reason: describeError(error) }, "nothing can be built here: no terraform");
    return undefined;
  }
  return createDeployer({ binaries, openCloud: createOpenCloud(directory) });
}
