import type { Inventory } from "../inventory/inventory.ts";

const queues = new WeakMap<Inventory, Map<string, Promise<unknown>>>();

/**
 * Runs an action after all earlier actions of the tenant have ended, as a cloud's database would. If two calls compete for the last unit of
 * a quota, exactly one of them fails. Actions in other processes are not synchronised.
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
