import type { Database } from "@cloudwright/store";
import { findLack, type Demand } from "./match-agent.ts";
import { listDemands } from "./demands.ts";
import { listLiveAgents, type LiveAgent } from "./presence.ts";
import { planReservations, refreshReservations, releaseSlots, reserveSlots, type SlotUse } from "./reserve-slots.ts";
import type { Lane } from "./task.ts";
import { stopSeconds } from "./time-limits.ts";

export interface ShareRules {
  /**
   * A task that has run this long may be interrupted if its project uses more than its share. A quarter of the time is enough if the
   * waiting project has no slot at all.
   */
  readonly turnSeconds: number;
  /** A project must have waited this long for a slot before another project's task is interrupted. */
  readonly waitSeconds: number;
  /** Maximum numbers of leased tasks per project and per account. They apply even if slots are free. */
  readonly projectQuota: number | undefined;
  readonly accountBudget: number | undefined;
}

/** Reassigns slots that one project has occupied for a long time to projects that are waiting for slots. */
export interface SlotSharing {
  /**
   * Interrupts at most one task for each waiting project and lane. Reserves the freed slot for projects other than the interrupted one.
   * Returns the uids of the interrupted tasks.
   */
  interrupt(nowMs: number): Promise<string[]>;
}

/** One project's ready tasks that have the same agent requirements. */
interface Waiting {
  readonly project: string;
  readonly lane: Lane;
  readonly demand: number;
}

interface Running extends SlotUse {
  readonly account: string;
  readonly uid: string;
  readonly seconds: number;
}

const systemProject = "system";
const noAccount = "00000000-0000-0000-0000-000000000000";

/**
 * Creates the `SlotSharing` of one server. It tracks how long each project has been waiting and how long tasks have been stopping. A
 * project's share is the number of busy slots on the agents that could run its task, divided by the number of projects that use or wait for
 * these slots.
 */
export function createSlotSharing(database: Database, rules: ShareRules): SlotSharing {
  const waitingSince = new Map<string, number>();
  const stoppingSince = new Map<string, number>();
  const interruptedAt = new Map<string, number>();
  let demands: Demand[] = [];
  return {
    async interrupt(nowMs) {
      const running = await listRunning(database);
      await refreshReservations(database, running);
      const waiting = dropLimited(await listWaiting(database), running, rules);
      remember(waitingSince, waiting.map(keyOf), nowMs);
      const stopping = running.filter((task) => task.stopping).map(({ lease_token }) => lease_token);
      remember(stoppingSince, stopping, nowMs);
      const waitMs = rules.waitSeconds * 1000;
      // After an interruption on its behalf, a project must wait for the full time again before the next interruption.
      for (const [turn, atMs] of interruptedAt) if (nowMs - atMs >= waitMs) interruptedAt.delete(turn);
      const ripe = waiting
        .filter((task) => nowMs - getAt(waitingSince, keyOf(task)) >= waitMs && !interruptedAt.has(turnOf(task)))
        .toSorted((a, b) => getAt(waitingSince, keyOf(a)) - getAt(waitingSince, keyOf(b)));
      if (ripe.length === 0) return [];
      const agents = await listLiveAgents(database);
      if (waiting.some(({ demand }) => demand > demands.length)) demands = await listDemands(database, 0);
      const soonFree = new Set(stopping.filter((token) => nowMs - getAt(stoppingSince, token) < stopSeconds * 1000));
      const scene: Scene = { ripe, waiting, running, agents, demands, soonFree };
      for (const turn of findBelowShare(scene)) await releaseSlots(database, turn);
      const interrupted: string[] = [];
      const chosen = chooseVictims(scene, rules);
      // Slots are reserved before the interruption, because they may become free immediately.
      const victims = chosen.map(({ victim }) => victim);
      for (const reservation of planReservations(victims, running, soonFree)) await reserveSlots(database, reservation);
      for (const { task, victim } of chosen) {
        // Restart this task's waiting time, so that the project's other tasks come first the next time.
        waitingSince.set(keyOf(task), nowMs);
        interruptedAt.set(turnOf(task), nowMs);
        interrupted.push(victim.uid);
        await requeue(database, victim, task.project);
      }
      return interrupted;
    },
  };
}

function keyOf({ project, lane, demand }: Waiting): string {
  return `${lane} ${project} ${demand}`;
}

/** Returns a key for a project and lane. Each such pair gets at most one slot at a time. */
function turnOf({ project, lane }: Waiting): string {
  return `${lane} ${project}`;
}

/** Keeps the times of known keys, adds new keys with the current time and removes all others. */
function remember(times: Map<string, number>, keys: readonly string[], nowMs: number): void {
  const present = new Set(keys);
  for (const key of times.keys()) if (!present.has(key)) times.delete(key);
  for (const key of present) if (!times.has(key)) times.set(key, nowMs);
}

function getAt(times: ReadonlyMap<string, number>, key: string): number {
  return times.get(key) ?? Infinity;
}

interface Scene {
  /** Tasks that have waited long enough, longest wait first. */
  readonly ripe: readonly Waiting[];
  readonly waiting: readonly Waiting[];
  readonly running: readonly Running[];
  readonly agents: readonly LiveAgent[];
  readonly demands: readonly Demand[];
  /** Lease tokens of tasks whose agents were recently asked to stop them. */
  readonly soonFree: ReadonlySet<string>;
}

/**
 * Chooses the tasks to interrupt. Each waiting project gets at most one slot per lane: one that will soon be free, or the slot of an
 * interrupted task.
 */
export function chooseVictims(scene: Scene, rules: Pick<ShareRules, "turnSeconds">): { task: Waiting; victim: Running }[] {
  const findAble = createAbleAgents(scene);
  const waiting = mergeGroups(scene.waiting, findAble);
  const soonFree = new Set(scene.soonFree);
  const promised = new Set<string>();
  const served = new Set<string>();
  const chosen: { task: Waiting; victim: Running }[] = [];
  for (const group of mergeGroups(scene.ripe, findAble)) {
    const { task } = group;
    const turn = turnOf(task);
    if (served.has(turn)) continue;
    const { slots, held, counts, share } = measure(
      scene.running,
      waiting,
      group,
      (token) => soonFree.has(token) || promised.has(token),
    );
    if ((counts.get(task.project) ?? 0) >= share) continue;
    const free = slots.find(({ lease_token }) => soonFree.has(lease_token));
    const hasNone = !slots.some(({ project }) => project === task.project);
    const turnSeconds = hasNone ? rules.turnSeconds / 4 : rules.turnSeconds;
    const victim = free ?? findVictim(task, held, { counts, share, turnSeconds });
    if (victim === undefined) continue;
    served.add(turn);
    soonFree.delete(victim.lease_token);
    promised.add(victim.lease_token);
    if (free === undefined) chosen.push({ task, victim });
  }
  return chosen;
}

/** Returns the projects and lanes that are waiting although they use fewer slots than their share. Reservations do not apply to them. */
export function findBelowShare(scene: Scene): Pick<Waiting, "project" | "lane">[] {
  const findAble = createAbleAgents(scene);
  const waiting = mergeGroups(scene.waiting, findAble);
  const below = mergeGroups(scene.ripe, findAble).filter((group) => {
    const { counts, share } = measure(scene.running, waiting, group, (token) => scene.soonFree.has(token));
    return (counts.get(group.task.project) ?? 0) < share;
  });
  return [...new Map(below.map(({ task }) => [turnOf(task), { project: task.project, lane: task.lane }])).values()];
}

interface Measure {
  /** The running tasks whose slots the waiting task could use. */
  readonly slots: readonly Running[];
  /** The tasks in `slots` that will not free their slots soon. `counts` is their number per project. */
  readonly held: readonly Running[];
  readonly counts: ReadonlyMap<string, number>;
  readonly share: number;
}

function measure(
  running: readonly Running[],
  waiting: readonly WaitingGroup[],
  { task, able }: WaitingGroup,
  isGone: (leaseToken: string) => boolean,
): Measure {
  const slots = running.filter(({ lane, agent_uid }) => lane === task.lane && able.has(agent_uid));
  const rivals = waiting.filter((other) => other.task.lane === task.lane && overlaps(other.able, able));
  const held = slots.filter(({ lease_token }) => !isGone(lease_token));
  const projects = new Set([...slots, ...rivals.map((other) => other.task)].map(({ project }) => project));
  const share = Math.max(1, Math.floor(slots.length / projects.size));
  return { slots, held, counts: countByProject(held), share };
}

/** Returns the longest-running task of the project that exceeds its share the most. Returns undefined if no task has run long enough. */
function findVictim(
  { project: waiting }: Waiting,
  held: readonly Running[],
  { counts, share, turnSeconds }: { counts: ReadonlyMap<string, number>; share: number; turnSeconds: number },
): Running | undefined {
  const count = ({ project }: Running): number => counts.get(project) ?? 0;
  return held
    .filter((task) => task.project !== waiting && !task.stopping && count(task) > share && task.seconds >= turnSeconds)
    .toSorted((a, b) => count(b) - count(a) || b.seconds - a.seconds)[0];
}

/** Those waiting tasks of a project that can be run by the same agents. */
interface WaitingGroup {
  readonly task: Waiting;
  readonly able: ReadonlySet<string>;
}

/**
 * Keeps the first group for each project, lane and set of agents. Drops groups that no agent can run. A project can have thousands of
 * different requirements, but there are few sets of agents.
 */
function mergeGroups(tasks: readonly Waiting[], findAble: (task: Waiting) => ReadonlySet<string>): WaitingGroup[] {
  const groups = new Map<string, WaitingGroup>();
  for (const task of tasks) {
    const able = findAble(task);
    const key = `${turnOf(task)} ${[...able].join(" ")}`;
    if (able.size > 0 && !groups.has(key)) groups.set(key, { task, able });
  }
  return [...groups.values()];
}

function createAbleAgents({ agents, demands }: Scene): (task: Waiting) => ReadonlySet<string> {
  const byId = new Map(demands.map((demand) => [demand.id, demand]));
  const known = new Map<string, ReadonlySet<string>>();
  return (task) => {
    const key = `${task.project} ${task.demand}`;
    const demand = byId.get(task.demand);
    const able = known.get(key) ?? new Set(agents.filter((agent) => serves(agent, task, demand)).map(({ uid }) => uid));
    known.set(key, able);
    return able;
  };
}

function serves(agent: LiveAgent, { project }: Waiting, demand: Demand | undefined): boolean {
  const isAllowed = agent.serves?.includes(project) ?? (agent.project === systemProject || agent.project === project);
  return isAllowed && demand !== undefined && findLack(demand, agent) === undefined;
}

function overlaps(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const one of a) if (b.has(one)) return true;
  return false;
}

function countByProject(tasks: readonly Running[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { project } of tasks) counts.set(project, (counts.get(project) ?? 0) + 1);
  return counts;
}

/** Removes tasks that wait because of their project's or account's own limits. */
function dropLimited(waiting: readonly WaitingRow[], running: readonly Running[], rules: ShareRules): Waiting[] {
  const { projectQuota = Infinity, accountBudget = Infinity } = rules;
  const counts = new Map<string, number>();
  const add = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { project, lane, account } of running) {
    add(`${lane} ${project}`);
    add(account);
  }
  const able = waiting.filter(
    ({ project, lane, accounts }) =>
      (counts.get(`${lane} ${project}`) ?? 0) < projectQuota &&
      accounts.some((account) => account === noAccount || (counts.get(account) ?? 0) < accountBudget),
  );
  return able.map(({ project, lane, demand }) => ({ project, lane, demand }));
}

type WaitingRow = Waiting & { readonly accounts: readonly string[] };

/** Returns the groups of ready tasks, with the accounts that their tasks use. */
async function listWaiting(database: Database): Promise<WaitingRow[]> {
  const text = `select l.lane, l.project, l.demand, array_agg(distinct l.account_uid) as accounts
    from task_line l where l.ready group by l.lane, l.project, l.demand order by min(l.position)`;
  return (await database.query<WaitingRow>({ name: "list-waiting-tasks", text, values: [] })).rows;
}

async function listRunning(database: Database): Promise<Running[]> {
  const text = `select l.task_uid as uid, l.project, l.lane, l.agent_uid, l.account_uid as account, l.lease_token,
      extract(epoch from clock_timestamp() - l.started_at)::float8 as seconds,
      l.cancel_reason <> '' or exists (select from task_stop s where s.lease_token = l.lease_token) as stopping
    from task_line l where l.lease_token is not null`;
  return (await database.query<Running>({ name: "list-running-tasks", text, values: [] })).rows;
}

async function requeue(database: Database, { lease_token }: Running, project: string): Promise<void> {
  const reason = `interrupted and queued again, because project ${project} is waiting for its share of the agents`;
  const text = "insert into task_stop (lease_token, reason, kind) values ($1, $2, 'requeued') on conflict do nothing";
  await database.query({ name: "requeue-task", text, values: [lease_token, reason] });
}
