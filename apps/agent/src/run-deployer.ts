import { Fault, platformFaults, type AgentConfig } from "@cloudwright/platform";
import { release, serveHandlers } from "@cloudwright/task-client";
import { join } from "node:path";
import { createHandlers } from "./create-handlers.ts";
import { createOwnDeployer } from "./own-deployer.ts";
import type { CommandDeps } from "./run-agent.ts";

/** Serves the configured handlers to agents over gRPC until the process is stopped. */
export async function runDeployer({ log, shutdown, print }: CommandDeps, config: AgentConfig): Promise<void> {
  const token = config.deployerToken();
  if (token === undefined) throw new Fault(platformFaults.bad_configuration, "CLOUDWRIGHT_DEPLOYER_TOKEN is not set");
  const own = await createOwnDeployer({ log }, config, "deployer");
  const registry = createHandlers({ ...config, deployers: [] }, own);
  const { deployerListen: listen, childEnvironment: environment, cancelGraceMs } = config;
  const directory = join(config.directory, "deployer");
  const deployer = await serveHandlers({ log, registry }, { listen, token, directory, environment, cancelGraceMs });
  shutdown.onClose("deployer", () => deployer.close());
  own?.open();
  print(`cloudwright-agent ${release} serves ${registry.types().join(", ") || "nothing"} as a deployer at ${deployer.url}`);
}
