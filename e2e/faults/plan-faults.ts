import type { Random } from "@cloudwright/platform/testing";

export const faultKinds = [
  "kill-server",
  "stop-server",
  "outage",
  "kill-agent",
  "stop-agent",
  "kill-watchdog",
  "kill-child",
  "freeze-agent",
  "database-fast",
  "database-immediate",
  "database-kill",
  "clock-jump",
  "disk-full",
  "vanish",
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface PlannedFault {
  /** Delay after the previous fault. */
  readonly gapMs: number;
  readonly kind: FaultKind;
  /** Number that selects the target among the processes that exist when the fault is injected. */
  readonly at: number;
  /** Between 0 and 1. Scales the duration or extent of the fault. */
  readonly size: number;
}

const weights: Readonly<Record<FaultKind, number>> = {
  "kill-child": 10,
  "kill-agent": 6,
  "kill-server": 4,
  "kill-watchdog": 4,
  "stop-agent": 2,
  "stop-server": 1,
  outage: 1,
  "freeze-agent": 3,
  "clock-jump": 3,
  "database-fast": 1,
  "database-immediate": 1,
  "database-kill": 1,
  "disk-full": 1,
  vanish: 2,
};
/** Gives an agent time to notice the death of its watchdog before the agent itself may be killed. If both died at the same time, nothing would stop the agent's program. */
const leastGapMs = 500;
const mostGapMs = 1800;

/** On a platform with one agent, these faults stop all work, so they are injected only once. */
const onceForOneAgent: readonly FaultKind[] = ["freeze-agent", "outage"];

/** Plans as many faults as fit into `withinMs`: one of each kind first, then random ones. */
export function planFaults(random: Random, withinMs: number, agents: number): PlannedFault[] {
  const first = random.shuffle(faultKinds);
  const often = faultKinds.filter((kind) => agents > 1 || !onceForOneAgent.includes(kind));
  const bag = often.flatMap((kind) => Array.from({ length: weights[kind] }, () => kind));
  return Array.from({ length: Math.ceil(withinMs / leastGapMs) }, (_, index) => ({
    gapMs: random.whole(leastGapMs, mostGapMs),
    kind: first[index] ?? random.pick(bag),
    at: random.whole(0, 1000),
    size: random.next(),
  }));
}
