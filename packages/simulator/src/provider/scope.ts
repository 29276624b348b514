import type { Clock } from "@cloudwright/platform";
import type { Conditions } from "../cloud/conditions.ts";
import type { Lag } from "../cloud/lag.ts";
import type { Throttle } from "../cloud/throttle.ts";
import type { Inventory } from "../inventory/inventory.ts";
import type { SimulatedFaults } from "../simulated-faults/simulated-fault.ts";
import type { ValueMap } from "../values/value.ts";
import type { HookContext, ProviderDefinition } from "./definition.ts";

/** Lets simulated faults affect the process that hosts the provider. */
export interface ProviderHost {
  /** Ends the process, or only the caller's connection if other tenants share the process. */
  crash(): void;
  print(text: string): void;
  complain(text: string): void;
}

/** A connection from Terraform, with the provider configuration of one run. */
export interface Session {
  config: ValueMap;
  readonly stop: AbortController;
}

/** Everything that a call may need. The tenant is fixed when the connection is opened; Terraform cannot change it. */
export interface Scope {
  readonly definition: ProviderDefinition;
  readonly tenant: string;
  readonly inventory: Inventory;
  readonly faults: SimulatedFaults;
  readonly clock: Clock;
  readonly host: ProviderHost;
  readonly session: Session;
  /** Conditions for tenants that have not set their own. */
  readonly standard: Conditions;
  readonly throttle: Throttle;
  readonly lag: Lag;
  /** How long a call waits in simulated time for a new resource to become visible. Default: as long as real Terraform providers wait. */
  readonly patienceMs?: number;
}

/** How long real providers retry before they treat a resource as missing. */
const providerPatienceMs = 120_000;

/** Returns the part of a scope that hooks can access. */
export function createHookContext(scope: Scope, conditions: Conditions): HookContext {
  const { tenant, inventory, clock, session, lag, patienceMs = providerPatienceMs } = scope;
  return {
    tenant,
    provider: session.config,
    nowMs: clock.now(),
    conditions,
    async find(key) {
      // An unset reference has an empty id and refers to nothing. The control plane's inventory rejects empty ids.
      const record = key.id === "" ? undefined : await inventory.find(tenant, key);
      const waitMs = record === undefined ? 0 : lag.remainingMs(tenant, key, conditions.lagMs * conditions.timeScale);
      if (waitMs === 0) return record;
      if (patienceMs > 0) await clock.sleep(Math.min(waitMs, patienceMs * conditions.timeScale), session.stop.signal);
      return waitMs > patienceMs * conditions.timeScale ? undefined : record;
    },
    list: (type) => inventory.list(tenant, type),
  };
}
