import type { Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

/** The clients that a replica serves: users, agents or both. Agents use only the methods for tasks. */
export type Served = ReadonlySet<"users" | "agents">;

/** Throws if this replica does not serve the method. Agents can join through any replica. */
export function requireServed(served: Served, { kind, verb }: Method): void {
  const wanted = kind === "Work" ? "agents" : "users";
  if (served.has(wanted) || (kind === "JoinToken" && verb === "join")) return;
  throw new Fault(apiFaults.not_served, `this replica does not serve ${wanted}`);
}
