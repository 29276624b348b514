import type { Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

/** Whom a server serves: users by the API, agents by the door they come to for work. Replicas may do one, the other, or both. */
export type Served = ReadonlySet<"users" | "agents">;

/** Refuses what this replica is not there for; agents join at either. */
export function requireServed(served: Served, { kind, verb }: Method): void {
  const wanted = kind === "Work" ? "agents" : "users";
  if (served.has(wanted) || (kind === "JoinToken" && verb === "join")) return;
  throw new Fault(apiFaults.not_served, `this replica does not serve ${wanted}`);
}
