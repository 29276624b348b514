import type { Database } from "@cloudwright/store";
import { findLack, type AgentAbility, type Demand } from "./ability.ts";
import { parsePlacement } from "./placement.ts";

/** The demands a process knows, and which of them its agents satisfy, so that the database compares numbers only. */
export interface DemandBook {
  /** Demands are numbered from 1 without gaps, so that a count says which are known. */
  count(): number;
  findSatisfied(ability: AgentAbility): readonly number[];
  learn(database: Database): Promise<void>;
}

/** More abilities than any fleet has; agents that change their labels all the time must not fill the memory. */
const mostAbilities = 1000;

export function createDemandBook(): DemandBook {
  const demands: Demand[] = [];
  const satisfied = new Map<string, readonly number[]>();
  return {
    count: () => demands.length,
    findSatisfied({ labels, types, payloadVersions }) {
      const ability = { labels, types, payloadVersions };
      // An agent says the same in the same order each time; another order costs another entry, not a mistake.
      const key = JSON.stringify(ability);
      const known = satisfied.get(key);
      if (known !== undefined) return known;
      if (satisfied.size >= mostAbilities) satisfied.clear();
      const ids = demands.filter((demand) => findLack(demand, ability) === undefined).map(({ id }) => id);
      satisfied.set(key, ids);
      return ids;
    },
    async learn(database) {
      const learned = await listDemands(database, demands.length);
      // Two that learn at once bring the same rows.
      demands.push(...learned.filter(({ id }) => id > demands.length));
      satisfied.clear();
    },
  };
}

/** The demands after the first so many. */
export async function listDemands(database: Database, after: number): Promise<Demand[]> {
  const text = "select id, placement, type, payload_version from task_demand where id > $1 order by id";
  const { rows } = await database.query<{ id: number; placement: string; type: string; payload_version: number }>({
    name: "list-demands",
    text,
    values: [after],
  });
  return rows.map(({ id, placement, type, payload_version }) => ({
    id,
    placement: parsePlacement(placement),
    type,
    payloadVersion: payload_version,
  }));
}
