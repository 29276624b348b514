import type { AgentConfig } from "@cloudwright/platform";
import { createHandlerRegistry, registerDemoHandlers, type HandlerRegistry } from "@cloudwright/task-client";

/** The handlers that this configuration asks for. */
export function createHandlers(config: AgentConfig): HandlerRegistry {
  const registry = createHandlerRegistry();
  if (config.demo.enabled) registerDemoHandlers(registry, { journal: config.demo.journal });
  return registry;
}
