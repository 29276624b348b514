import type { Database } from "@cloudwright/store";
import { findLack, type AgentAbility, type Demand } from "./match-agent.ts";
import { parsePlacement } from "./placement.ts";

/** Caches the demands, and which of them each ability satisfies, so that the database compares only numbers. */
export interface DemandBook {
  /** Demands are numbered from 1 without gaps, so that the count says which are known. */
  count(): number;
  findSatisfied(ability: AgentAbility): readonly number[];
  learn(database: Database): Promise<void>;
}

/** More abilities than any fleet has. Agents that keep changing their labels must not fill the memory. */
const mostAbilities = 1000;

export function createDemandBook(): DemandBook {
  const demands: Demand[] = [];
  const satisfied = new Map<string, readonly number[]>();
  return {
    count: () => demands.length,
    findSatisfied({ labels, types, payloadVersions }) {
      const ability = { labels, types, payloadVersions };
      // An agent reports its abilities in the same order each time. Another order costs another entry, but is not an error.
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
      // Two concurrent reads return the same rows.
      demands.push(...learned.filter(({ id }) => id > demands.length));
      satisfied.clear();
    },
  };
}

/** Returns the demands after the given number. */
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
