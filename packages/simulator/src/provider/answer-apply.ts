import { createUid } from "@cloudwright/platform";
import { conform } from "../schema/conform.ts";
import type { Block } from "../schema/schema.ts";
import { decodeValue, encodeValue, fromWire } from "../values/codec.ts";
import { isMap, type Value, type ValueMap } from "../values/value.ts";
import * as messages from "../wire/plugin-messages.ts";
import type { Change, Problem, ResourceHooks } from "./definition.ts";
import { toDiagnostics } from "./diagnostics.ts";
import { fillUnknown } from "./fill-unknown.ts";
import { getSchema } from "./get-schema.ts";
import { findRecordId, printPrivateState } from "./record-id.ts";
import { runWork } from "./run-work.ts";
import { createHookContext, type Scope } from "./scope.ts";
import { listSensitiveValues } from "./sensitive-values.ts";

/** What came of a change: what exists now, and what there is to say. */
interface Outcome {
  readonly state: Value;
  readonly problems: readonly Problem[];
}

/** ApplyResourceChange. A failure is told together with what exists, so that Terraform neither forgets nor invents anything. */
export async function applyResource(scope: Scope, request: Buffer): Promise<Buffer> {
  const sent = messages.applyResourceChange.request.decode(request);
  const type = sent.type_name;
  const { block } = getSchema(scope.definition, type);
  const prior = mapOrNull(decodeValue(block.type, sent.prior_state));
  const planned = mapOrNull(decodeValue(block.type, sent.planned_state));
  const config = mapOrNull(decodeValue(block.type, sent.config)) ?? {};
  const hooks = scope.definition.resources?.[type] ?? {};
  const operation = planned === null ? "delete" : prior === null ? "create" : "update";
  const id =
    prior === null ? createId(hooks, type, planned ?? {}, scope) : (findRecordId(block, prior, sent.planned_private) ?? "");
  const reply = ({ state, problems }: Outcome) => ({
    new_state: encodeValue(block.type, state),
    private: printPrivateState(block, id, sent.planned_private),
    legacy_type_system: scope.definition.legacyTypeSystem ?? false,
    diagnostics: toDiagnostics(problems),
  });
  const response = await runWork(scope, {
    operation,
    type,
    act: async () => {
      const change: Change = { operation, id, prior, planned, config };
      const problems = (await hooks.check?.(change, createHookContext(scope))) ?? [];
      if (problems.some(({ severity }) => severity !== "warning")) return reply({ state: prior, problems });
      const outcome = await carryOut(scope, type, block, hooks, change);
      return reply({ state: outcome.state, problems: [...problems, ...outcome.problems] });
    },
    refuse: (problems) => reply({ state: prior, problems }),
    listSecrets: () => [
      ...listSensitiveValues(block, config),
      ...listSensitiveValues(scope.definition.schema.provider.block, scope.session.config),
    ],
  });
  return messages.applyResourceChange.response.encode(response);
}

async function carryOut(scope: Scope, type: string, block: Block, hooks: ResourceHooks, change: Change): Promise<Outcome> {
  const { inventory, tenant } = scope;
  const { id, planned, prior } = change;
  if (planned === null) {
    await inventory.delete(tenant, { type, id });
    return { state: null, problems: [] };
  }
  const computed = { id, ...(await hooks.compute?.(change, createHookContext(scope))) };
  const filled = fillUnknown(block.type, planned, computed, `${tenant} ${type} ${id}`);
  const state = conform(block, fromWire(block.type, filled, type)) as ValueMap;
  const record = { type, id, attributes: state };
  if (prior === null) {
    if (await inventory.create(tenant, record)) return { state, problems: [] };
    return { state: null, problems: [{ summary: `${type} ${id} already exists`, detail: "Import it, or choose another name." }] };
  }
  if ((await inventory.find(tenant, record)) === undefined) {
    return {
      state: prior,
      problems: [{ summary: `${type} ${id} does not exist`, detail: "It was deleted since it was last read." }],
    };
  }
  await inventory.put(tenant, record);
  return { state, problems: [] };
}

function createId(hooks: ResourceHooks, type: string, planned: ValueMap, scope: Scope): string {
  const made = hooks.createId?.(planned, createHookContext(scope));
  return (
    made ??
    `${type.slice(type.indexOf("_") + 1).replaceAll("_", "-")}-${createUid(scope.clock.now()).replaceAll("-", "").slice(-17)}`
  );
}

function mapOrNull(value: Value): ValueMap | null {
  return isMap(value) ? value : null;
}
