import type { Clock } from "@cloudwright/platform";
import type { RecordKey } from "../inventory/inventory.ts";

/** Tracks recently created records, to simulate clouds in which new resources become visible only after a delay. */
export interface Lag {
  noteCreated(tenant: string, key: RecordKey): void;
  /** Returns the remaining time until a record becomes visible, `lagMs` after its creation. */
  remainingMs(tenant: string, key: RecordKey, lagMs: number): number;
}

const remembered = 10_000;

/** Creates a lag tracker that works in memory, so other processes see new records immediately. */
export function createLag({ clock }: { readonly clock: Pick<Clock, "now"> }): Lag {
  const createdAt = new Map<string, number>();
  const nameOf = (tenant: string, { type, id }: RecordKey): string => JSON.stringify([tenant, type, id]);
  return {
    noteCreated(tenant, key) {
      const oldest = createdAt.size < remembered ? undefined : createdAt.keys().next().value;
      if (oldest !== undefined) createdAt.delete(oldest);
      createdAt.set(nameOf(tenant, key), clock.now());
    },
    remainingMs(tenant, key, lagMs) {
      const at = createdAt.get(nameOf(tenant, key));
      return at === undefined ? 0 : Math.max(0, at + lagMs - clock.now());
    },
  };
}
