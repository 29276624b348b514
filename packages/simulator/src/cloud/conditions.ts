import type { Inventory } from "../inventory/inventory.ts";
import { isMap, type Value } from "../values/value.ts";

/** How an account's cloud behaves, as far as that can be set. */
export interface Conditions {
  /** Simulated time in real time: 0.001 makes a quarter of an hour a second, 0 lets nothing take time. */
  readonly timeScale: number;
  /** How many there may be of something, where that is not what the cloud grants everyone. */
  readonly quotas: Readonly<Record<string, number>>;
  /** How many calls a second are answered, and how many more at once; all of them without this. */
  readonly throttle?: { readonly perSecond: number; readonly burst: number };
  /** For how long, in simulated time, what was made is not seen by other parts of the cloud. */
  readonly lagMs: number;
}

/** What can be changed at once. */
export type ConditionsChange = Partial<Omit<Conditions, "throttle">> & { readonly throttle?: Conditions["throttle"] | null };

/** What holds unless something else is set: fast, without lag, with everyone's quotas. */
export const defaultConditions: Conditions = { timeScale: 0.001, quotas: {}, lagMs: 0 };

// Kept in the account's own cloud, so that it is as durable as that, and every process that opens the cloud sees it.
const key = { type: "cloud_conditions", id: "conditions" } as const;

/** How a tenant's cloud behaves now. */
export async function readConditions(
  inventory: Inventory,
  tenant: string,
  standard: Conditions = defaultConditions,
): Promise<Conditions> {
  const found = await inventory.find(tenant, key);
  return found === undefined ? standard : { ...standard, ...parseConditions(found.attributes["conditions"]) };
}

/** Changes how a tenant's cloud behaves; quotas are added to those that were set. */
export async function changeConditions(inventory: Inventory, tenant: string, change: ConditionsChange): Promise<void> {
  const found = await inventory.find(tenant, key);
  const before = parseConditions(found?.attributes["conditions"]);
  const { throttle, ...after } = { ...before, ...change, quotas: { ...before.quotas, ...change.quotas } };
  const conditions = { ...after, ...(throttle === null || throttle === undefined ? {} : { throttle }) };
  // Numbers are kept as text, since values of records are whole ones.
  await inventory.put(tenant, { ...key, attributes: { conditions: JSON.stringify(conditions) } });
}

/** Lets a tenant's cloud behave as everyone's. */
export async function resetConditions(inventory: Inventory, tenant: string): Promise<void> {
  await inventory.delete(tenant, key);
}

function parseConditions(value: Value | undefined): Partial<Conditions> {
  if (typeof value !== "string") return {};
  const parsed = JSON.parse(value) as Value;
  return isMap(parsed) ? parsed : {};
}
