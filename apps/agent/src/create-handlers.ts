import type { Deployer } from "@cloudwright/deployer";
import { Fault, platformFaults, type AgentConfig } from "@cloudwright/platform";
import {
  createHandlerRegistry,
  createRemoteHandler,
  registerDemoHandlers,
  taskTypes,
  type HandlerRegistry,
} from "@cloudwright/task-client";

/** The handlers that this configuration asks for: those of deployers before the agent's own. */
export function createHandlers(config: AgentConfig, own?: Deployer): HandlerRegistry {
  const registry = createHandlerRegistry();
  const isAllElsewhere = config.deployers.some(({ prefix }) => prefix === "*");
  if (own !== undefined && !isAllElsewhere) registry.register({ types: own.types }, (context) => own.handle(context));
  if (config.demo.enabled) registerDemoHandlers(registry, { journal: config.demo.journal });
  const token = config.deployers.length === 0 ? undefined : config.deployerToken();
  // The shortest prefix first: a longer one takes its place.
  for (const { prefix, url } of config.deployers.toReversed()) {
    if (token === undefined) {
      throw new Fault(platformFaults.bad_configuration, "CLOUDWRIGHT_DEPLOYERS is set, but CLOUDWRIGHT_DEPLOYER_TOKEN is not");
    }
    const types = prefix === "*" ? ["*"] : taskTypes.filter((type) => type === prefix || type.startsWith(`${prefix}.`));
    if (types.length === 0) {
      throw new Fault(
        platformFaults.bad_configuration,
        `CLOUDWRIGHT_DEPLOYERS names "${prefix}", which no task type begins with`,
      );
    }
    registry.register({ types }, createRemoteHandler({ url, token }));
  }
  return registry;
}
