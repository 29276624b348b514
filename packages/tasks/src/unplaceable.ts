import type { Database } from "@cloudwright/store";
import { countLacks, findLack, type AgentAbility, type Demand, type Lack } from "./match-agent.ts";
import { listDemands } from "./demands.ts";

/** A ready task that no known agent can run, with the unmet requirements of the closest agent. */
export interface UnplaceableTask {
  readonly uid: string;
  readonly project: string;
  readonly entityUid: string;
  readonly missing: Lack;
}

const nobody: AgentAbility = { labels: {}, types: [], payloadVersions: { min: 1, max: 0 } };

/** Returns the ready tasks that none of the given agents can run. Omits tasks younger than `olderThanSeconds`. */
export async function listUnplaceable(
  database: Database,
  agents: readonly AgentAbility[],
  limit = 1000,
  olderThanSeconds = 0,
): Promise<UnplaceableTask[]> {
  const missing = new Map<number, Lack>();
  for (const demand of await listDemands(database, 0)) {
    const lack = findSmallestLack(demand, agents);
    if (lack !== undefined) missing.set(demand.id, lack);
  }
  if (missing.size === 0) return [];
  const text = `select l.task_uid as uid, l.project, l.entity_uid as "entityUid", l.demand from task_line l join task t on t.uid = l.task_uid
    where l.ready and l.demand = any ($1) and t.created_at <= clock_timestamp() - make_interval(secs => $3) order by l.position limit $2`;
  const { rows } = await database.query<{ uid: string; project: string; entityUid: string; demand: number }>({
    name: "list-unplaceable",
    text,
    values: [[...missing.keys()], limit, olderThanSeconds],
  });
  return rows.map(({ demand, ...task }) => ({ ...task, missing: missing.get(demand) as Lack }));
}

/**
 * Returns the demand of a ready task that this agent could run if its release supported the payload version. Returns undefined if there is
 * none.
 */
export async function findUnreadable(
  database: Database,
  { projects, ...ability }: AgentAbility & { readonly projects: readonly string[] | undefined },
): Promise<Demand | undefined> {
  const readsAll = { ...ability, payloadVersions: { min: 0, max: Infinity } };
  const unreadable = (await listDemands(database, 0)).filter(
    (demand) => findLack(demand, ability) !== undefined && findLack(demand, readsAll) === undefined,
  );
  if (unreadable.length === 0) return undefined;
  const text =
    "select demand from task_line where ready and demand = any ($1) and ($2::text[] is null or project = any ($2)) limit 1";
  const values = [unreadable.map(({ id }) => id), projects ?? null];
  const { rows } = await database.query<{ demand: number }>({ name: "find-unreadable", text, values });
  return unreadable.find(({ id }) => id === rows[0]?.demand);
}

/** Returns the unmet requirements of the closest agent, or undefined if an agent meets all requirements. */
export function findSmallestLack(demand: Demand, agents: readonly AgentAbility[]): Lack | undefined {
  let smallest = findLack(demand, agents[0] ?? nobody);
  for (const agent of agents) {
    const lack = findLack(demand, agent);
    if (smallest === undefined || lack === undefined) return undefined;
    if (countLacks(lack) < countLacks(smallest)) smallest = lack;
  }
  return smallest;
}
