import { systemClock, type Clock } from "@cloudwright/platform";
import { defaultConditions, type Conditions } from "../cloud/conditions.ts";
import { createLag } from "../cloud/lag.ts";
import { createThrottle } from "../cloud/throttle.ts";
import type { Inventory } from "../inventory/inventory.ts";
import { createMemoryInventory } from "../inventory/memory-inventory.ts";
import { createMemoryFaults } from "../simulated-faults/memory-faults.ts";
import { applyResource } from "../provider/answer-apply.ts";
import { readDataSource } from "../provider/answer-data.ts";
import { planResource } from "../provider/answer-plan.ts";
import { readResource } from "../provider/answer-read.ts";
import type { ProviderDefinition } from "../provider/definition.ts";
import type { Scope } from "../provider/scope.ts";
import { conform } from "../schema/conform.ts";
import type { Block } from "../schema/schema.ts";
import { decodeValue, encodeValue } from "../values/codec.ts";
import { isList, isMap, type Value, type ValueMap } from "../values/value.ts";
import * as messages from "../wire/plugin-messages.ts";

/** The result of a call: the new state, the diagnostics, and the attributes that would force a replacement. */
export interface CallResult {
  readonly state: ValueMap | null;
  readonly said: readonly string[];
  /** Attributes whose change requires a replacement. If there are any, the call has no effect. */
  readonly replaced: readonly string[];
}

/** Calls a provider as Terraform does, without running Terraform. */
export interface ProviderCalls {
  readonly inventory: Inventory;
  readonly stop: AbortController;
  create(type: string, config: ValueMap): Promise<CallResult>;
  update(type: string, prior: ValueMap, config: ValueMap): Promise<CallResult>;
  remove(type: string, prior: ValueMap): Promise<CallResult>;
  read(type: string, state: ValueMap): Promise<CallResult>;
  data(type: string, config: ValueMap): Promise<CallResult>;
}

interface CallOptions {
  readonly config?: ValueMap;
  readonly conditions?: Partial<Conditions>;
  readonly inventory?: Inventory;
  readonly clock?: Clock;
}

/** Opens a provider for one tenant. By default, operations take no time. */
export function callProvider(definition: ProviderDefinition, options: CallOptions = {}): ProviderCalls {
  const { config = {}, conditions = {}, inventory = createMemoryInventory(), clock = systemClock } = options;
  const stop = new AbortController();
  const scope: Scope = {
    definition,
    tenant: "a",
    inventory,
    faults: createMemoryFaults(),
    clock,
    host: { crash: () => {}, print: () => {}, complain: () => {} },
    session: { config, stop },
    standard: { ...defaultConditions, timeScale: 0, ...conditions },
    throttle: createThrottle({ clock }),
    lag: createLag({ clock }),
  };
  const blockOf = (type: string): Block => {
    const found = definition.schema.resources[type];
    if (found === undefined) throw new Error(`the provider has no resource type ${type}`);
    return found.block;
  };

  async function change(type: string, prior: ValueMap | null, wanted: ValueMap | null): Promise<CallResult> {
    const block = blockOf(type);
    const given = wanted === null ? null : (conform(block, wanted) as ValueMap);
    const encode = (value: Value) => encodeValue(block.type, value);
    const proposed = given === null ? null : propose(block, given, prior);
    const request = { type_name: type, prior_state: encode(prior), config: encode(given) };
    const plan = messages.planResourceChange.response.decode(
      await planResource(
        scope,
        messages.planResourceChange.request.encode({ ...request, proposed_new_state: encode(proposed), prior_private: none }),
      ),
    );
    const steps = plan.requires_replace.map(({ steps: path }) => path.map(({ attribute_name: name }) => name).join("."));
    if (steps.length > 0) return { state: prior, said: [], replaced: steps };
    const planned = plan.planned_state ?? encode(null);
    const applied = messages.applyResourceChange.response.decode(
      await applyResource(
        scope,
        messages.applyResourceChange.request.encode({ ...request, planned_state: planned, planned_private: none }),
      ),
    );
    const said = applied.diagnostics.map(({ summary }) => summary);
    return { state: mapOrNull(decodeValue(block.type, applied.new_state)), said, replaced: [] };
  }

  return {
    inventory,
    stop,
    create: (type, wanted) => change(type, null, wanted),
    update: (type, prior, wanted) => change(type, prior, wanted),
    remove: (type, prior) => change(type, prior, null),
    async read(type, state) {
      const { type: valueType } = blockOf(type);
      const request = { type_name: type, current_state: encodeValue(valueType, state), private: none };
      const reply = await readResource(scope, messages.readResource.request.encode(request));
      const { new_state, diagnostics } = messages.readResource.response.decode(reply);
      const said = diagnostics.map(({ summary }) => summary);
      return { state: mapOrNull(decodeValue(valueType, new_state)), said, replaced: [] };
    },
    async data(type, wanted) {
      const block = definition.schema.dataSources[type]?.block;
      if (block === undefined) throw new Error(`the provider has no data source ${type}`);
      const request = { type_name: type, config: encodeValue(block.type, conform(block, wanted)) };
      const reply = await readDataSource(scope, messages.readDataSource.request.encode(request));
      const { state, diagnostics } = messages.readDataSource.response.decode(reply);
      const said = diagnostics.map(({ summary }) => summary);
      return { state: mapOrNull(decodeValue(block.type, state)), said, replaced: [] };
    },
  };
}

const none = Buffer.alloc(0);

function mapOrNull(value: Value): ValueMap | null {
  return isMap(value) ? value : null;
}

// Imitates Terraform's proposal: computed attributes that are not configured keep their prior value.
function propose(block: Block, config: ValueMap, prior: ValueMap | null): ValueMap {
  if (prior === null) return config;
  const attributes = Object.entries(block.attributes).map(([name, { computed }]): [string, Value] => {
    const given = config[name] ?? null;
    return [name, given === null && computed ? (prior[name] ?? null) : given];
  });
  const blocks = Object.entries(block.blocks).map(([name, { block: inner }]): [string, Value] => {
    const given: Value = config[name] ?? null;
    const before: Value | undefined = prior[name];
    if (!isList(given)) return [name, given];
    const at = (index: number): ValueMap | null => (isList(before) ? mapOrNull(before[index] ?? null) : null);
    return [name, given.map((element, index) => (isMap(element) ? propose(inner, element, at(index)) : element))];
  });
  return Object.fromEntries([...attributes, ...blocks]);
}
