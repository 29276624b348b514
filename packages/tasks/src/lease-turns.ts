import type { Clock } from "@cloudwright/platform";
import type { Signal } from "@cloudwright/store";
import { lanes, type LeasedTask } from "./task.ts";
import type { LeaseRequest } from "./lease.ts";

/** Agents that wait for the same tasks query one after the other, and only while there may be something left. */
export interface LeaseTurns {
  /**
   * Queries when it is this agent's turn. Returns nothing without a query if an agent with the same request just found nothing and there
   * was no notification since. `ask` returns undefined if it did not query.
   */
  take(request: LeaseRequest, ask: () => Promise<LeasedTask[] | undefined>): Promise<LeasedTask[]>;
}

interface Group {
  last: Promise<unknown>;
  waiting: number;
  /** When nothing was left: the version of the signal, and the time, because a notification can be lost. */
  drained: { readonly version: number; readonly atMs: number } | undefined;
}

const turns = new WeakMap<Signal, LeaseTurns>();
/** Shorter than the time after which a waiting agent queries without a notification. */
const drainedForMs = 900;
/** Agents that keep changing their labels must not fill the memory. */
const mostGroups = 100;

/**
 * Returns the turns of this process. Without them every notification makes every waiting agent query. With 4 agents and 2,000 clusters, 7
 * of 8 queries were in vain and caused most of the database load.
 */
export function findLeaseTurns(deps: { readonly signal: Signal; readonly clock: Clock }): LeaseTurns {
  const known = turns.get(deps.signal);
  if (known !== undefined) return known;
  const made = createLeaseTurns(deps);
  turns.set(deps.signal, made);
  return made;
}

function createLeaseTurns({ signal, clock }: { readonly signal: Signal; readonly clock: Clock }): LeaseTurns {
  const groups = new Map<string, Group>();
  const isEmpty = ({ drained }: Group): boolean =>
    drained?.version === signal.version() && Math.abs(clock.now() - drained.atMs) < drainedForMs;
  return {
    async take(request, ask) {
      const key = renderKey(request);
      const group = groups.get(key) ?? { last: Promise.resolve(), waiting: 0, drained: undefined };
      groups.set(key, group);
      group.waiting += 1;
      const turn = group.last.then(async () => {
        if (isEmpty(group)) return [];
        // Read before the query, because a later commit has a later version.
        const before = { version: signal.version(), atMs: clock.now() };
        const tasks = await ask();
        if (tasks !== undefined && isDrained(request, tasks)) group.drained = before;
        return tasks ?? [];
      });
      group.last = turn.catch(() => undefined);
      try {
        return await turn;
      } finally {
        group.waiting -= 1;
        if (group.waiting === 0 && groups.size > mostGroups) groups.delete(key);
      }
    },
  };
}

/** Returns whether any lane got fewer tasks than requested, so that there are no more. */
function isDrained({ lanes: wanted }: LeaseRequest, tasks: readonly LeasedTask[]): boolean {
  return lanes.every((lane) => wanted[lane] === 0 || tasks.filter((task) => task.lane === lane).length < wanted[lane]);
}

/** Renders everything that determines which tasks a request can get. */
function renderKey({
  labels,
  types,
  payloadVersions,
  projects,
  lanes: wanted,
  projectQuota,
  accountBudget,
}: LeaseRequest): string {
  const open = lanes.filter((lane) => wanted[lane] > 0);
  return JSON.stringify([labels, types, payloadVersions, projects, open, projectQuota, accountBudget]);
}
