import type { Clock } from "@cloudwright/platform";
import type { RecordKey } from "../inventory/inventory.ts";

/** Remembers what was made a moment ago, for clouds whose parts learn of it late. */
export interface Lag {
  noteCreated(tenant: string, key: RecordKey): void;
  /** For how long it is still not seen, if it is seen `lagMs` after it was made. */
  remainingMs(tenant: string, key: RecordKey, lagMs: number): number;
}

const remembered = 10_000;

/** A memory of this process: whoever else looks has not been told of the creation either way. */
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
