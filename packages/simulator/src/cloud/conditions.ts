import type { Inventory } from "../inventory/inventory.ts";
import { isMap, type Value } from "../values/value.ts";

/** The adjustable behaviour of a tenant's simulated cloud. */
export interface Conditions {
  /**
   * Ratio of real to simulated time. At 0.001, a simulated quarter of an hour takes about a second. At 0, every operation completes
   * immediately.
   */
  readonly timeScale: number;
  /** Quotas that differ from the cloud's defaults, keyed by name. */
  readonly quotas: Readonly<Record<string, number>>;
  /** Sustained number of calls per second, and the size of a burst. If omitted, calls are not throttled. */
  readonly throttle?: { readonly perSecond: number; readonly burst: number };
  /** How long a new resource stays invisible to other parts of the cloud, in simulated time. */
  readonly lagMs: number;
  /** How far the clock of the cloud's own API is ahead of real time. Default: 0. */
  readonly clockSkewMs?: number;
  /** Zones that have no capacity for new machines. Default: none. */
  readonly fullZones?: readonly string[];
}

/** A partial update of conditions. Omitted fields keep their value; `throttle: null` removes the limit. */
export type ConditionsChange = Partial<Omit<Conditions, "throttle">> & { readonly throttle?: Conditions["throttle"] | null };

/** The default conditions of a tenant's cloud: fast, without lag, with default quotas. */
export const defaultConditions: Conditions = { timeScale: 0.001, quotas: {}, lagMs: 0 };

// Conditions are stored as a record in the tenant's inventory, so they persist and every process sees them.
const key = { type: "cloud_conditions", id: "conditions" } as const;

/** Returns the current conditions of a tenant's cloud. */
export async function readConditions(
  inventory: Inventory,
  tenant: string,
  standard: Conditions = defaultConditions,
): Promise<Conditions> {
  const found = await inventory.find(tenant, key);
  return found === undefined ? standard : { ...standard, ...parseConditions(found.attributes["conditions"]) };
}

/** Changes the conditions of a tenant's cloud. New quotas are merged with existing ones. */
export async function changeConditions(inventory: Inventory, tenant: string, change: ConditionsChange): Promise<void> {
  const found = await inventory.find(tenant, key);
  const before = parseConditions(found?.attributes["conditions"]);
  const { throttle, ...after } = { ...before, ...change, quotas: { ...before.quotas, ...change.quotas } };
  const conditions = { ...after, ...(throttle === null || throttle === undefined ? {} : { throttle }) };
  // Stored as JSON text, because record attributes cannot hold fractional numbers.
  await inventory.put(tenant, { ...key, attributes: { conditions: JSON.stringify(conditions) } });
}

/** Restores the default conditions of a tenant's cloud. */
export async function resetConditions(inventory: Inventory, tenant: string): Promise<void> {
  await inventory.delete(tenant, key);
}

function parseConditions(value: Value | undefined): Partial<Conditions> {
  if (typeof value !== "string") return {};
  const parsed = JSON.parse(value) as Value;
  return isMap(parsed) ? parsed : {};
}
