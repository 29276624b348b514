import type { Block, Nesting } from "../schema/schema.ts";
import { nestedType } from "../schema/schema.ts";
import { isSame } from "../values/compare.ts";
import { isList, isMap, unknown, type Value, type ValueMap } from "../values/value.ts";
import type { ResourceHooks } from "./definition.ts";

/** A change that Terraform proposes. `prior` is null for a creation. */
interface Proposal {
  readonly prior: ValueMap | null;
  readonly proposed: ValueMap;
  readonly config: ValueMap;
}

/**
 * Plans a change: starts from Terraform's proposal, applies defaults, and marks values that the cloud determines later as unknown. Repeated
 * calls must return the same plan, because Terraform plans again before it applies.
 */
export function planChange(block: Block, hooks: ResourceHooks, { prior, proposed, config }: Proposal): ValueMap {
  const planned = planBlock(hooks, block, "", proposed, config, prior ?? undefined);
  if (prior === null) return planned;
  // Returns `prior` instead of the equal plan, because `prior` has the original order of sets.
  if (isSame(block.type, prior, planned)) return prior;
  return { ...planned, ...recompute(block, hooks, prior, planned, config) };
}

function recompute(block: Block, hooks: ResourceHooks, prior: ValueMap, planned: ValueMap, config: ValueMap): ValueMap {
  const changed = Object.keys(planned).filter((name) => !isSame(typeOf(block, name), prior[name] ?? null, planned[name] ?? null));
  const names = Object.entries(hooks.recompute ?? {})
    .filter(([name]) => config[name] === null)
    .filter(([, inputs]) =>
      typeof inputs === "function" ? inputs(prior) : inputs === "*" || inputs.some((input) => changed.includes(input)),
    )
    .map(([name]) => name);
  return Object.fromEntries(names.map((name) => [name, unknown]));
}

function typeOf(block: Block, name: string): Block["type"] {
  const nested = block.blocks[name];
  return nested === undefined ? (block.attributes[name]?.type ?? "dynamic") : nestedType(nested.nesting, nested.block);
}

// `config` is undefined inside sets, whose elements have no identity. `prior` is undefined for new elements.
function planBlock(
  hooks: ResourceHooks,
  block: Block,
  path: string,
  proposed: ValueMap,
  config: ValueMap | undefined,
  prior: ValueMap | undefined,
): ValueMap {
  const planned: Record<string, Value> = {};
  for (const [name, attribute] of Object.entries(block.attributes)) {
    const value = proposed[name] ?? null;
    const given = config === undefined ? value : (config[name] ?? null);
    const standard = hooks.defaults?.[`${path}${name}`];
    if (attribute.writeOnly) planned[name] = null;
    else if (given === null && standard !== undefined) planned[name] = standard;
    else if (value === null && attribute.computed && prior === undefined) planned[name] = unknown;
    else if (attribute.nested === undefined || value === null) planned[name] = value;
    else {
      const { nesting, block: inner } = attribute.nested;
      planned[name] = planNested(hooks, nesting, inner, `${path}${name}.`, value, given, prior?.[name]);
    }
  }
  for (const [name, { nesting, block: inner }] of Object.entries(block.blocks)) {
    const given = config?.[name];
    if (path === "" && hooks.computedBlocks?.includes(name) === true && isList(given) && given.length === 0) {
      planned[name] = prior === undefined ? unknown : (prior[name] ?? []);
      continue;
    }
    planned[name] = planNested(hooks, nesting, inner, `${path}${name}.`, proposed[name] ?? null, given, prior?.[name]);
  }
  return planned;
}

function planNested(
  hooks: ResourceHooks,
  nesting: Nesting,
  block: Block,
  path: string,
  proposed: Value,
  config: Value | undefined,
  prior: Value | undefined,
): Value {
  const plan = (value: Value, given: Value | undefined, before: Value | undefined): Value =>
    isMap(value)
      ? planBlock(hooks, block, path, value, isMap(given) ? given : undefined, isMap(before) ? before : undefined)
      : value;
  if (nesting === "set") {
    const before = isList(prior) ? prior : [];
    const isKept = (element: Value): boolean => before.some((kept) => isSame(block.type, kept, element));
    return isList(proposed) ? proposed.map((value) => (isKept(value) ? value : plan(value, undefined, undefined))) : proposed;
  }
  if (nesting === "list") {
    const at = (list: Value | undefined, index: number): Value | undefined => (isList(list) ? list[index] : undefined);
    return isList(proposed) ? proposed.map((value, index) => plan(value, at(config, index), at(prior, index))) : proposed;
  }
  if (nesting === "map") {
    const at = (map: Value | undefined, key: string): Value | undefined => (isMap(map) ? map[key] : undefined);
    if (!isMap(proposed)) return proposed;
    return Object.fromEntries(
      Object.entries(proposed).map(([key, value]) => [key, plan(value, at(config, key), at(prior, key))]),
    );
  }
  return plan(proposed, config, prior);
}
