/** For tests: the suite that every inventory must pass, and a cloud with stacks that real Terraform runs in. */
export { describeInventory } from "./inventory-suite.ts";
export { createSimulatedCloud, getBundle, requirement, tools, type LaunchMode, type SimulatedCloud } from "./simulated-cloud.ts";
export { createTerraformStack, type Run, type TerraformEvent, type TerraformStack } from "./terraform-stack.ts";
