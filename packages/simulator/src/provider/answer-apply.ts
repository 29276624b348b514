import { createUid } from "@cloudwright/platform";
import type { Conditions } from "../cloud/conditions.ts";
import { takeTurn } from "../cloud/turns.ts";
import { conform } from "../schema/conform.ts";
import { decodeValue, encodeValue, fromWire } from "../values/codec.ts";
import { isMap, type Value, type ValueMap } from "../values/value.ts";
import * as messages from "../wire/plugin-messages.ts";
import type { Change, HookContext, Problem, ResourceHooks } from "./definition.ts";
import { toDiagnostics } from "./diagnostics.ts";
import { fillUnknown } from "./fill-unknown.ts";
import { getSchema } from "./get-schema.ts";
import { findRecordId, printPrivateState } from "./record-id.ts";
import { runWork } from "./run-work.ts";
import { createHookContext, type Scope } from "./scope.ts";
import { listSensitiveValues } from "./sensitive-values.ts";

/** The result of a change: the resulting state, and the problems to report. */
interface Outcome {
  readonly state: Value;
  readonly problems: readonly Problem[];
}

/** Handles ApplyResourceChange. A failure is reported together with the actual state, so that Terraform's state stays correct. */
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
    act: async (conditions) =>
      reply(await workThrough(scope, type, hooks, { operation, id, prior, planned, config }, conditions)),
    refuse: (problems) => reply({ state: prior, problems }),
    listSecrets: () => [
      ...listSensitiveValues(block, config),
      ...listSensitiveValues(scope.definition.schema.provider.block, scope.session.config),
    ],
  });
  return messages.applyResourceChange.response.encode(response);
}

/**
 * Checks and applies a change while no other change of the tenant is in progress. A resource exists from the start of its creation until
 * the end of its deletion. An interrupted run therefore leaves the same traces as in a real cloud.
 */
async function workThrough(
  scope: Scope,
  type: string,
  hooks: ResourceHooks,
  change: Change,
  conditions: Conditions,
): Promise<Outcome> {
  const { inventory, tenant } = scope;
  const { prior, operation } = change;
  const context = createHookContext(scope, conditions);
  const refuse = async (): Promise<readonly Problem[]> => (await hooks.check?.(change, context)) ?? [];
  // Waits for lagging resources before queuing for the tenant's next turn, so that other changes are not blocked.
  if (conditions.lagMs > 0) await refuse();
  if (operation === "delete") {
    const problems = await refuse();
    if (problems.some(isError)) return { state: prior, problems };
    if (!(await takeTime(scope, hooks, change, conditions))) return { state: prior, problems: [cutOff] };
  }
  const outcome = await takeTurn<Outcome & { isMade: boolean }>(inventory, tenant, async () => {
    const problems = await refuse();
    if (problems.some(isError)) return { state: prior, problems, isMade: false };
    const made = await carryOut(scope, type, hooks, change, conditions);
    return { state: made.state, problems: [...problems, ...made.problems], isMade: !made.problems.some(isError) };
  });
  if (!outcome.isMade || operation === "delete") return outcome;
  if (operation === "create") scope.lag.noteCreated(tenant, { type, id: change.id });
  if (await takeTime(scope, hooks, change, conditions)) return outcome;
  return { ...outcome, problems: [...outcome.problems, cutOff] };
}

const cutOff: Problem = { summary: "The operation was stopped", detail: "The cloud completes the change that it has started." };

function isError({ severity }: Problem): boolean {
  return severity !== "warning";
}

async function takeTime(
  { clock, session }: Scope,
  { takesMs }: ResourceHooks,
  { operation }: Change,
  { timeScale }: Conditions,
): Promise<boolean> {
  const ms = (takesMs?.[operation] ?? 0) * timeScale;
  if (ms < 1) return true;
  return clock.sleep(ms, session.stop.signal).then(
    () => true,
    () => false,
  );
}

async function carryOut(
  scope: Scope,
  type: string,
  hooks: ResourceHooks,
  change: Change,
  conditions: Conditions,
): Promise<Outcome> {
  const { inventory, tenant } = scope;
  const { block } = getSchema(scope.definition, type);
  const { id, planned, prior } = change;
  const context = createHookContext(scope, conditions);
  if (planned === null) {
    for (const follower of (await hooks.listFollowers?.(change, context)) ?? []) await inventory.delete(tenant, follower);
    await inventory.delete(tenant, { type, id });
    await carryOutSideEffects(scope, hooks, change, context);
    return { state: null, problems: [] };
  }
  const computed = { id, ...(await hooks.compute?.(change, context)) };
  const filled = fillUnknown(block.type, planned, computed, `${tenant} ${type} ${id}`);
  const state = conform(block, fromWire(block.type, filled, type)) as ValueMap;
  const record = { type, id, attributes: state };
  if (prior === null) {
    if (hooks.isRepeatable === true) await inventory.delete(tenant, record);
    if (await inventory.create(tenant, record)) {
      await carryOutSideEffects(scope, hooks, { ...change, planned: state }, context);
      return { state, problems: [] };
    }
    return {
      state: null,
      problems: [{ summary: `${type} ${id} already exists`, detail: "Import the resource, or choose another name." }],
    };
  }
  const before = await inventory.find(tenant, record);
  if (before === undefined) {
    return {
      state: prior,
      problems: [{ summary: `${type} ${id} does not exist`, detail: "The resource was deleted after Terraform last read it." }],
    };
  }
  // Keeps attributes that are not in the schema, because Terraform does not send them.
  const beyond = Object.entries(before.attributes).filter(([name]) => !Object.hasOwn(state, name));
  await inventory.put(tenant, { ...record, attributes: { ...Object.fromEntries(beyond), ...state } });
  await carryOutSideEffects(scope, hooks, { ...change, planned: state }, context);
  return { state, problems: [] };
}

async function carryOutSideEffects(
  { inventory, tenant }: Scope,
  hooks: ResourceHooks,
  change: Change,
  context: HookContext,
): Promise<void> {
  const effects = await hooks.listSideEffects?.(change, context);
  for (const record of effects?.put ?? []) await inventory.put(tenant, record);
  for (const gone of effects?.delete ?? []) await inventory.delete(tenant, gone);
}

function createId(hooks: ResourceHooks, type: string, planned: ValueMap, scope: Scope): string {
  const made = hooks.createId?.(planned, createHookContext(scope, scope.standard));
  return (
    made ??
    `${type.slice(type.indexOf("_") + 1).replaceAll("_", "-")}-${createUid(scope.clock.now()).replaceAll("-", "").slice(-17)}`
  );
}

function mapOrNull(value: Value): ValueMap | null {
  return isMap(value) ? value : null;
}
