/**
 * The agent's side of tasks: it joins, leases tasks over the wire, runs their handlers and the programs of these, renews leases, and
 * reports. What a task does is up to its handler. This package must not know clouds, Terraform or databases.
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
