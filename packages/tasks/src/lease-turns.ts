import type { Clock } from "@cloudwright/platform";
import type { Signal } from "@cloudwright/store";
import { lanes, type LeasedTask } from "./task.ts";
import type { LeaseRequest } from "./lease.ts";

/** Those who wait for the same kind of tasks ask one after the other, and only while there may be something left. */
export interface LeaseTurns {
  /**
   * Asks when it is this one's turn. Nothing without having asked: somebody who wants the same found nothing left a moment ago, and there
   * was no notification since. `ask` answers undefined when it did not ask.
   */
  take(request: LeaseRequest, ask: () => Promise<LeasedTask[] | undefined>): Promise<LeasedTask[]>;
}

interface Group {
  last: Promise<unknown>;
  waiting: number;
  /** When nothing was left: the version of the signal, and the time, since a notification can be lost. */
  drained: { readonly version: number; readonly atMs: number } | undefined;
}

const turns = new WeakMap<Signal, LeaseTurns>();
/** Shorter than the time after which who waits asks without a notification. */
const drainedForMs = 900;
/** Agents that change their labels all the time must not fill the memory. */
const mostGroups = 100;

/**
 * The turns of a process. Without them every notification makes every waiting agent ask: at 4 agents and 2,000 clusters 7 of 8 questions
 * were in vain, and they were most of what the database did.
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
        // Read before asking: what is committed later brings a later version.
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

/** Fewer than asked for in each lane: then there are no more. */
function isDrained({ lanes: wanted }: LeaseRequest, tasks: readonly LeasedTask[]): boolean {
  return lanes.every((lane) => wanted[lane] === 0 || tasks.filter((task) => task.lane === lane).length < wanted[lane]);
}

/** What decides which tasks a request could be given. */
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
