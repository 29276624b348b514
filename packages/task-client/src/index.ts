/**
 * The agent's side of the work: it joins, leases tasks over the wire, runs their handlers and the programs these start, renews, and
 * reports. It knows no cloud, no Terraform and no database; what is done for a task is its handlers' business.
 */
export * from "./agent.ts";
export * from "./faults.ts";
export * from "./handler.ts";
export { payloadVersions } from "./payload.ts";
export * from "./registry.ts";
export { joinAgent, type JoinOptions } from "./join-agent.ts";
export { release } from "./release.ts";
export { registerDemoHandlers, type DemoOptions } from "./demo/demo-handler.ts";
export { readLines } from "./read-lines.ts";
export { createRemoteHandler, type RemoteHandlerOptions } from "./remote/remote-handler.ts";
export { serveHandlers, type Deployer, type DeployerOptions } from "./remote/serve-handlers.ts";
