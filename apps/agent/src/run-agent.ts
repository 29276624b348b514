import type { AgentConfig, Logger, Shutdown } from "@cloudwright/platform";
import { createAgent, release } from "@cloudwright/task-client";
import { createOwnDeployer } from "./own-deployer.ts";
import { createHostService } from "./hosts/open-host.ts";
import { createHandlers } from "./create-handlers.ts";

export interface CommandDeps {
  readonly log: Logger;
  readonly shutdown: Shutdown;
  readonly print: (line: string) => void;
}

/** Joins if necessary, then leases and runs tasks until the process is stopped. */
export async function runAgent({ log, shutdown, print }: CommandDeps, config: AgentConfig): Promise<void> {
  const hosts = await createHostService({ log }, config);
  const own = await createOwnDeployer({ log, hosts }, config);
  const registry = createHandlers(config, own);
  const agent = createAgent(
    { log, registry },
    {
      ...config,
      labels: { ...config.labels, ...hosts?.labels },
      environment: config.childEnvironment,
    },
  );
  shutdown.onClose("host", async () => hosts?.close());
  shutdown.onClose("agent", () => agent.stop());
  const { name, uid } = await agent.start();
  own?.open();
  hosts?.start();
  const { long, short } = config.slots;
  const demo = config.demo.enabled ? ", demonstration handlers only" : "";
  print(
    `cloudwright-agent ${release} ${name} (${uid}) runs up to ${long} long and ${short} short tasks from ${config.server}${demo}`,
  );
}
