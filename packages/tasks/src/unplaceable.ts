import type { Database } from "@cloudwright/store";
import { countLacks, findLack, type AgentAbility, type Demand, type Lack } from "./ability.ts";
import { listDemands } from "./demands.ts";

/** A ready task that no known agent can take, and what the nearest of them lacks. */
export interface UnplaceableTask {
  readonly uid: string;
  readonly project: string;
  readonly entityUid: string;
  readonly missing: Lack;
}

const nobody: AgentAbility = { labels: {}, types: [], payloadVersions: { min: 1, max: 0 } };

/** The ready tasks that none of the known agents can take. */
export async function listUnplaceable(
  database: Database,
  agents: readonly AgentAbility[],
  limit = 1000,
): Promise<UnplaceableTask[]> {
  const missing = new Map<number, Lack>();
  for (const demand of await listDemands(database, 0)) {
    const lack = findSmallestLack(demand, agents);
    if (lack !== undefined) missing.set(demand.id, lack);
  }
  if (missing.size === 0) return [];
  const text = `select task_uid as uid, project, entity_uid as "entityUid", demand from task_line where ready and demand = any ($1) order by position limit $2`;
  const { rows } = await database.query<{ uid: string; project: string; entityUid: string; demand: number }>({
    name: "list-unplaceable",
    text,
    values: [[...missing.keys()], limit],
  });
  return rows.map(({ demand, ...task }) => ({ ...task, missing: missing.get(demand) as Lack }));
}

/** What the nearest of some agents lacks for a demand; undefined when one of them lacks nothing. */
export function findSmallestLack(demand: Demand, agents: readonly AgentAbility[]): Lack | undefined {
  let smallest = findLack(demand, agents[0] ?? nobody);
  for (const agent of agents) {
    const lack = findLack(demand, agent);
    if (smallest === undefined || lack === undefined) return undefined;
    if (countLacks(lack) < countLacks(smallest)) smallest = lack;
  }
  return smallest;
}
