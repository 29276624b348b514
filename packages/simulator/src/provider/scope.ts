import type { Clock } from "@cloudwright/platform";
import type { Inventory } from "../inventory/inventory.ts";
import type { Mishaps } from "../mishaps/mishap.ts";
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
  readonly mishaps: Mishaps;
  readonly clock: Clock;
  readonly host: ProviderHost;
  readonly session: Session;
}

/** What hooks may see of a scope. */
export function createHookContext({ tenant, inventory, clock, session }: Scope): HookContext {
  return {
    tenant,
    provider: session.config,
    nowMs: clock.now(),
    find: (key) => inventory.find(tenant, key),
    list: (type) => inventory.list(tenant, type),
  };
}
