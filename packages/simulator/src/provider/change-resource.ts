import { createUid } from "@cloudwright/platform";
import type { Conditions } from "../cloud/conditions.ts";
import { takeTurn } from "../cloud/turns.ts";
import type { RecordKey } from "../inventory/inventory.ts";
import { conform } from "../schema/conform.ts";
import { fromWire } from "../values/codec.ts";
import type { Value, ValueMap } from "../values/value.ts";
import type { Change, HookContext, Problem, ResourceHooks } from "./definition.ts";
import { fillUnknown } from "./fill-unknown.ts";
import { getSchema } from "./get-schema.ts";
import { createHookContext, type Scope } from "./scope.ts";

/** The result of a change: the resulting state, and the problems to report. */
export interface Outcome {
  readonly state: Value;
  readonly problems: readonly Problem[];
}

/** Records a change that the cloud accepts now and completes later. Used by the cloud's own API, which does not wait. */
export interface Acceptance {
  /**
   * Called after all checks and before the change. `takesMs` is the duration in real time. No other change to the tenant's cloud runs
   * during this call.
   */
  begin(change: Change, takesMs: number): Promise<void>;
  /** Called if the accepted change failed. */
  cancel(): Promise<void>;
  /** Attributes of a new record that are not in the schema. */
  readonly beyond?: ValueMap;
  /** Whether the API completes the change before it replies, even if Terraform's provider would have to wait for it. */
  readonly isInstant?: boolean;
}

/**
 * Checks and applies a change while no other change to the tenant's cloud is in progress. A resource exists from the start of its creation
 * until the end of its deletion. An interrupted run therefore leaves the same resources behind as in a real cloud.
 *
 * Without `acceptance`, resolves at the end of the operation's duration. With it, resolves immediately. The caller must then use
 * `finishDeletion` to complete an accepted deletion that takes time.
 */
export async function changeResource(
  scope: Scope,
  type: string,
  change: Change,
  conditions: Conditions,
  acceptance?: Acceptance,
): Promise<Outcome> {
  const { inventory, tenant } = scope;
  const { prior, operation } = change;
  const hooks = hooksOf(scope, type);
  const context = createHookContext(scope, conditions);
  const takesMs = acceptance?.isInstant === true ? 0 : (hooks.takesMs?.[operation] ?? 0) * conditions.timeScale;
  const refuse = async (): Promise<readonly Problem[]> => (await hooks.check?.(change, context)) ?? [];
  // Waits until new resources are visible before queuing for the tenant's next turn, so that other changes are not blocked.
  if (conditions.lagMs > 0) await refuse();
  if (operation === "delete" && acceptance === undefined) {
    const problems = await refuse();
    if (problems.some(isError)) return { state: prior, problems };
    if (!(await takeTime(scope, takesMs))) return { state: prior, problems: [cutOff] };
  }
  const outcome = await takeTurn<Outcome & { isMade: boolean }>(inventory, tenant, async () => {
    const problems = await refuse();
    if (problems.some(isError)) return { state: prior, problems, isMade: false };
    await acceptance?.begin(change, takesMs);
    if (operation === "delete" && acceptance !== undefined && takesMs >= 1) return { state: prior, problems, isMade: true };
    const made = await carryOut(scope, type, hooks, change, conditions, acceptance?.beyond);
    const isMade = !made.problems.some(isError);
    if (!isMade) await acceptance?.cancel();
    return { state: made.state, problems: [...problems, ...made.problems], isMade };
  });
  if (!outcome.isMade || operation === "delete") return outcome;
  if (operation === "create") scope.lag.noteCreated(tenant, { type, id: change.id });
  if (acceptance !== undefined || (await takeTime(scope, takesMs))) return outcome;
  return { ...outcome, problems: [...outcome.problems, cutOff] };
}

/** Deletes a record whose deletion was accepted earlier. Does nothing if the record no longer exists. */
export async function finishDeletion(scope: Scope, { type, id }: RecordKey, conditions: Conditions): Promise<void> {
  const { inventory, tenant } = scope;
  await takeTurn(inventory, tenant, async () => {
    const record = await inventory.find(tenant, { type, id });
    if (record === undefined) return;
    const change: Change = { operation: "delete", id, prior: record.attributes, planned: null, config: {} };
    await carryOut(scope, type, hooksOf(scope, type), change, conditions);
  });
}

/** Returns the id of a new resource. */
export function createRecordId(scope: Scope, type: string, planned: ValueMap): string {
  const made = hooksOf(scope, type).createId?.(planned, createHookContext(scope, scope.standard));
  return (
    made ??
    `${type.slice(type.indexOf("_") + 1).replaceAll("_", "-")}-${createUid(scope.clock.now()).replaceAll("-", "").slice(-17)}`
  );
}

/** Returns whether a problem prevents a change. */
export function isError({ severity }: Problem): boolean {
  return severity !== "warning";
}

const cutOff: Problem = { summary: "The operation was stopped", detail: "The cloud completes the change that it has started." };

function hooksOf({ definition }: Scope, type: string): ResourceHooks {
  return definition.resources?.[type] ?? {};
}

async function takeTime({ clock, session }: Scope, ms: number): Promise<boolean> {
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
  beyond: ValueMap = {},
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
    if (await inventory.create(tenant, { ...record, attributes: { ...hooks.hidden, ...beyond, ...state } })) {
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
  const kept = Object.entries(before.attributes).filter(([name]) => !Object.hasOwn(state, name));
  await inventory.put(tenant, { ...record, attributes: { ...Object.fromEntries(kept), ...beyond, ...state } });
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
