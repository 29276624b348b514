import type { Clock } from "@cloudwright/platform";
import type { Conditions } from "../cloud/conditions.ts";
import type { Lag } from "../cloud/lag.ts";
import type { Throttle } from "../cloud/throttle.ts";
import type { Inventory } from "../inventory/inventory.ts";
import type { SimulatedFaults } from "../simulated-faults/simulated-fault.ts";
import type { ValueMap } from "../values/value.ts";
import type { HookContext, ProviderDefinition } from "./definition.ts";

/** What a provider does to the process that it lives in, when something is to go wrong. */
export interface ProviderHost {
  /** Dies, or as much of it as belongs to the caller's connection. */
  crash(): void;
  print(text: string): void;
  complain(text: string): void;
}

/** One connection of Terraform: a provider configuration of one run. */
export interface Session {
  config: ValueMap;
  readonly stop: AbortController;
}

/** Everything that a call may need. The tenant is fixed by whoever opened the door, never by what comes through it. */
export interface Scope {
  readonly definition: ProviderDefinition;
  readonly tenant: string;
  readonly inventory: Inventory;
  readonly faults: SimulatedFaults;
  readonly clock: Clock;
  readonly host: ProviderHost;
  readonly session: Session;
  /** How the cloud behaves unless something else was set for the tenant. */
  readonly standard: Conditions;
  readonly throttle: Throttle;
  readonly lag: Lag;
}

/** Providers ask again for two minutes before they believe that something is not there. */
const patienceMs = 120_000;

/** What hooks may see of a scope. */
export function createHookContext(scope: Scope, conditions: Conditions): HookContext {
  const { tenant, inventory, clock, session, lag } = scope;
  return {
    tenant,
    provider: session.config,
    nowMs: clock.now(),
    conditions,
    async find(key) {
      const record = await inventory.find(tenant, key);
      const waitMs = record === undefined ? 0 : lag.remainingMs(tenant, key, conditions.lagMs * conditions.timeScale);
      if (waitMs === 0) return record;
      await clock.sleep(Math.min(waitMs, patienceMs * conditions.timeScale), session.stop.signal);
      return waitMs > patienceMs * conditions.timeScale ? undefined : record;
    },
    list: (type) => inventory.list(tenant, type),
  };
}
