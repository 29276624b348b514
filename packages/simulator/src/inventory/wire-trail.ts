import type { RecordKey } from "./inventory.ts";
import type { WireConnection } from "./wire-connection.ts";

/** A change to a resource of a simulated cloud, from the cloud's audit trail. */
export interface TrailEntry {
  /** The user who made the change. Runs of the platform appear as `cloudwright-<task>`. */
  readonly actor: string;
  readonly action: "create" | "update" | "delete";
  readonly at: string;
}

/** The audit trail of simulated clouds. */
export interface WireTrail {
  /** Returns the most recent changes to a resource, newest first. */
  list(tenant: string, key: RecordKey): Promise<readonly TrailEntry[]>;
}

/** Creates a client for the audit trail that the control plane keeps for simulated clouds. */
export function createWireTrail(connection: WireConnection): WireTrail {
  return {
    list: async (tenant, { type, id }) => (await connection.ask(tenant, { do: "trail", type, id })) as readonly TrailEntry[],
  };
}
