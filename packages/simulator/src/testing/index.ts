/** For tests: the suite that every inventory must pass. */
export { describeInventory } from "./inventory-suite.ts";
