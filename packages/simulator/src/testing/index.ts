/** Test support: contract suites for inventories and cluster stores, and a simulated cloud in which real Terraform runs. */
export { describeInventory } from "./inventory-suite.ts";
export { createSimulatedCloud, getBundle, requirement, tools, type LaunchMode, type SimulatedCloud } from "./simulated-cloud.ts";
export { createTerraformStack, type Run, type TerraformEvent, type TerraformStack } from "./terraform-stack.ts";
export { describeKubernetesObjects } from "./kubernetes-objects-suite.ts";
export { createKubectl, kubectlTool, type Kubectl } from "./kubectl.ts";
export { findRealServer, startRealServer } from "./real-api-server.ts";
export { startApiHost, type ApiHost, type ApiHostOptions } from "../api/start-api-host.ts";
export { createSelfSigned, type SelfSigned } from "../wire/certificate.ts";
