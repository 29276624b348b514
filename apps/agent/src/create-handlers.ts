import type { Deployer } from "@cloudwright/deployer";
import { parseTaskType, taskTypesOfService } from "@cloudwright/contract";
import { Fault, platformFaults, type AgentConfig } from "@cloudwright/platform";
import { createHandlerRegistry, createRemoteHandler, registerDemoHandlers, type HandlerRegistry } from "@cloudwright/task-client";

/** Creates the configured handlers. A remote deployer takes precedence over the agent's own deployer. */
export function createHandlers(config: AgentConfig, own?: Deployer): HandlerRegistry {
  const registry = createHandlerRegistry();
  const isAllElsewhere = config.deployers.some(({ prefix }) => prefix === "*");
  if (own !== undefined && !isAllElsewhere) registry.register({ types: own.types }, (context) => own.handle(context));
  if (config.demo.enabled) registerDemoHandlers(registry, { journal: config.demo.journal });
  const token = config.deployers.length === 0 ? undefined : config.deployerToken();
  // Shorter prefixes are registered first, so that longer ones override them.
  for (const { prefix, url } of config.deployers.toReversed()) {
    if (token === undefined) {
      throw new Fault(platformFaults.bad_configuration, "CLOUDWRIGHT_DEPLOYERS is set, but CLOUDWRIGHT_DEPLOYER_TOKEN is not");
    }
    const types = prefix === "*" || parseTaskType(prefix) !== undefined ? [prefix] : taskTypesOfService(prefix);
    if (types.length === 0) {
      throw new Fault(
        platformFaults.bad_configuration,
        `CLOUDWRIGHT_DEPLOYERS names "${prefix}", which is neither a service nor a task type`,
      );
    }
    registry.register({ types }, createRemoteHandler({ url, token }));
  }
  return registry;
}
