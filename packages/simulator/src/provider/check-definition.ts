import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";
import type { Attribute, Block } from "../schema/schema.ts";
import type { ProviderDefinition, ResourceHooks } from "./definition.ts";

/** Throws if a definition has hooks that no call would reach, or defaults that Terraform would reject during a run. */
export function checkDefinition(definition: ProviderDefinition): void {
  for (const [type, hooks] of Object.entries(definition.resources ?? {})) {
    const block = definition.schema.resources[type]?.block;
    if (block === undefined) throw bad(`${definition.name} has hooks for ${type}, which its schema lacks`);
    checkHooks(type, block, hooks, definition.legacyTypeSystem ?? false);
  }
  for (const type of Object.keys(definition.dataSources ?? {})) {
    if (definition.schema.dataSources[type] === undefined) {
      throw bad(`${definition.name} has hooks for the data source ${type}, which its schema lacks`);
    }
  }
}

function checkHooks(type: string, block: Block, hooks: ResourceHooks, isLegacy: boolean): void {
  for (const path of hooks.forceNew ?? []) {
    if (findPart(block, path) === undefined) throw bad(`forceNew: ${type} has no ${path}`);
  }
  for (const path of Object.keys(hooks.defaults ?? {})) {
    const part = findPart(block, path);
    if (part === undefined || part === "block") throw bad(`defaults: ${type} has no attribute ${path}`);
    if (!part.computed && !isLegacy) throw bad(`defaults: ${type}.${path} is not computed`);
  }
  for (const name of hooks.computedBlocks ?? []) {
    if (block.blocks[name] === undefined) throw bad(`computedBlocks: ${type} has no block ${name}`);
    if (!isLegacy) throw bad(`computedBlocks: ${type}.${name}: only a provider with the legacy type system can compute a block`);
  }
  for (const name of Object.keys(hooks.recompute ?? {})) {
    if (block.attributes[name]?.computed !== true) throw bad(`recompute: ${type}.${name} is not computed`);
  }
}

function findPart(block: Block, path: string): Attribute | "block" | undefined {
  const [name = "", ...rest] = path.split(".");
  const inner = block.blocks[name]?.block ?? block.attributes[name]?.nested?.block;
  if (rest.length > 0) return inner === undefined ? undefined : findPart(inner, rest.join("."));
  return block.blocks[name] === undefined ? block.attributes[name] : "block";
}

function bad(message: string): Fault {
  return new Fault(simulatorFaults.bad_schema, message);
}
