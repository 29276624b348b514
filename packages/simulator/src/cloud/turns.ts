import type { Inventory } from "../inventory/inventory.ts";

const queues = new WeakMap<Inventory, Map<string, Promise<unknown>>>();

/**
 * Lets the changes of a tenant's cloud look and act one after the other, as a cloud's own databases do: of two that would take the last of
 * something, one is refused. It holds within a process only.
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
