import type { Inventory } from "../inventory/inventory.ts";

const queues = new WeakMap<Inventory, Map<string, Promise<unknown>>>();

/**
 * Runs the checks and changes of one tenant one after the other, as a cloud's own database would. When two calls compete for the last unit
 * of a quota, one of them fails. The order holds within one process only.
 */
export function takeTurn<Result>(inventory: Inventory, tenant: string, act: () => Promise<Result>): Promise<Result> {
  const tenants = queues.get(inventory) ?? new Map<string, Promise<unknown>>();
  queues.set(inventory, tenants);
  const turn = (tenants.get(tenant) ?? Promise.resolve()).then(act, act);
  tenants.set(tenant, turn);
  const forget = (): void => void (tenants.get(tenant) === turn && tenants.delete(tenant));
  turn.then(forget, forget);
  return turn;
}
