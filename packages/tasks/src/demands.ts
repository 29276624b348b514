import type { Database } from "@cloudwright/store";
import { findLack, type AgentAbility, type Demand } from "./match-agent.ts";
import { parsePlacement } from "./placement.ts";

/** Caches all demands and, for each ability, the demands that it satisfies, so that the database only has to compare ids. */
export interface DemandBook {
  /** Returns the number of known demands. Ids start at 1 and have no gaps, so this is also the highest known id. */
  count(): number;
  findSatisfied(ability: AgentAbility): readonly number[];
  learn(database: Database): Promise<void>;
}

/** Maximum number of cached abilities, which is more than any fleet needs. It bounds memory use if agents keep changing their labels. */
const mostAbilities = 1000;

export function createDemandBook(): DemandBook {
  const demands: Demand[] = [];
  const satisfied = new Map<string, readonly number[]>();
  return {
    count: () => demands.length,
    findSatisfied({ labels, types, payloadVersions, identity, withheldBackends = [] }) {
      const ability = { labels, types, payloadVersions, ...(identity === undefined ? {} : { identity }), withheldBackends };
      // Agents report their abilities in a fixed order. A different order would only add another cache entry.
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
      // Concurrent calls may read the same rows, so demands that are already known are skipped.
      demands.push(...learned.filter(({ id }) => id > demands.length));
      satisfied.clear();
    },
  };
}

/** Returns the demands whose id is greater than `after`. */
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
