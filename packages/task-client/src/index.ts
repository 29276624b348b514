/**
 * The agent's side of the task protocol. It joins the server, leases tasks, runs their handlers and programs, renews leases and reports
 * outcomes. Handlers define what a task does. This package must not know about clouds, Terraform or databases.
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
