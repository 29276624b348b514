import { Fault } from "@cloudwright/platform";
import type { Conditions } from "../cloud/conditions.ts";
import { simulatorFaults } from "../faults.ts";
import type { CloudRecord, RecordKey } from "../inventory/inventory.ts";
import { conform } from "../schema/conform.ts";
import type { Block } from "../schema/schema.ts";
import { fromWire } from "../values/codec.ts";
import { isList, isMap, type ValueMap } from "../values/value.ts";
import { changeResource, createRecordId, isError, type Acceptance, type Outcome } from "./change-resource.ts";
import type { Problem, ResourceHooks } from "./definition.ts";
import { findReplacements } from "./find-replacements.ts";
import { getSchema } from "./get-schema.ts";
import { planChange } from "./plan-change.ts";
import type { Scope } from "./scope.ts";

/** A change that a caller requests without Terraform. */
export interface ChangeRequest {
  readonly conditions: Conditions;
  readonly acceptance: Acceptance;
}

/** Creates a resource as Terraform would from this configuration. `id` is needed only to repeat an interrupted creation. */
export async function createFrom(
  scope: Scope,
  type: string,
  given: ValueMap,
  { conditions, acceptance, id }: ChangeRequest & { readonly id?: string },
): Promise<Outcome> {
  const { block } = getSchema(scope.definition, type);
  const hooks = hooksOf(scope, type);
  const fitted = fit(scope, type, given);
  if ("problem" in fitted) return { state: null, problems: [fitted.problem] };
  const { config } = fitted;
  const problems = hooks.validate?.(config) ?? [];
  if (problems.some(isError)) return { state: null, problems };
  const planned = planChange(block, hooks, { prior: null, proposed: config, config });
  const change = { operation: "create", id: id ?? createRecordId(scope, type, planned), prior: null, planned, config } as const;
  return changeResource(scope, type, change, conditions, acceptance);
}

/** Changes attributes of a record. Attributes that the cloud derives from the changed ones are recomputed. */
export async function updateFrom(
  scope: Scope,
  { type, id, attributes }: CloudRecord,
  patch: ValueMap,
  { conditions, acceptance }: ChangeRequest,
): Promise<Outcome> {
  const { block } = getSchema(scope.definition, type);
  const hooks = hooksOf(scope, type);
  const prior = conform(block, attributes) as ValueMap;
  const fitted = fit(scope, type, { ...attributes, ...patch }, Object.keys(patch));
  if ("problem" in fitted) return { state: prior, problems: [fitted.problem] };
  const { config: proposed } = fitted;
  // Leaves derived attributes unset, as a Terraform configuration does, because an attribute that the configuration sets is never
  // recomputed.
  const derived = Object.keys(hooks.recompute ?? {}).filter((name) => !Object.hasOwn(patch, name));
  const config = { ...proposed, ...Object.fromEntries(derived.map((name) => [name, null])) };
  const problems = hooks.validate?.(config) ?? [];
  if (problems.some(isError)) return { state: prior, problems };
  const planned = planChange(block, hooks, { prior, proposed, config });
  const fixed = [...(hooks.forceNew ?? []), ...(hooks.listReplacements?.(prior, planned) ?? [])];
  const [path] = findReplacements(block, fixed, prior, planned);
  if (path !== undefined) {
    return { state: prior, problems: [{ summary: `${path.join(".")} of ${type} ${id} cannot be changed`, path }] };
  }
  return changeResource(scope, type, { operation: "update", id, prior, planned, config }, conditions, acceptance);
}

/** Deletes a record. */
export async function deleteFrom(
  scope: Scope,
  { type, id, attributes }: RecordKey & Pick<CloudRecord, "attributes">,
  { conditions, acceptance }: ChangeRequest,
): Promise<Outcome> {
  const change = { operation: "delete", id, prior: attributes, planned: null, config: {} } as const;
  return changeResource(scope, type, change, conditions, acceptance);
}

function hooksOf({ definition }: Scope, type: string): ResourceHooks {
  return definition.resources?.[type] ?? {};
}

// A value of the wrong type, such as a string instead of a number, is the caller's mistake and not a failure of the simulation. `checked`
// contains the names of the attributes and blocks that must be complete. Blocks that the cloud computed can lack values that users must
// provide.
function fit(
  { definition }: Scope,
  type: string,
  given: ValueMap,
  checked?: readonly string[],
): { readonly config: ValueMap } | { readonly problem: Problem } {
  const { block } = getSchema(definition, type);
  try {
    const config = conform(block, fromWire(block.type, conform(block, given), type)) as ValueMap;
    const missing = findMissing(block, config, checked);
    return missing === undefined ? { config } : { problem: { summary: `${missing} is required` } };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== simulatorFaults.bad_value.code) throw error;
    return { problem: { summary: error.message } };
  }
}

function findMissing(block: Block, config: ValueMap, checked?: readonly string[]): string | undefined {
  const isChecked = (name: string): boolean => checked === undefined || checked.includes(name);
  const missing = Object.entries(block.attributes).find(
    ([name, { required }]) => required && isChecked(name) && (config[name] ?? null) === null,
  );
  if (missing !== undefined) return missing[0];
  for (const [name, { block: inner, min }] of Object.entries(block.blocks)) {
    if (!isChecked(name)) continue;
    const value = config[name];
    const elements = isList(value) ? value : [];
    if (elements.length < min) return name;
    for (const element of elements) {
      const found = isMap(element) ? findMissing(inner, element) : undefined;
      if (found !== undefined) return `${name}.${found}`;
    }
  }
  return undefined;
}
