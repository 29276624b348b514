import type { Database } from "@cloudwright/store";
import { findLack, type Demand } from "./match-agent.ts";
import { listDemands } from "./demands.ts";
import { listLiveAgents, type LiveAgent } from "./presence.ts";
import type { Lane } from "./task.ts";

export interface ShareRules {
  /** A task that has run this long may be interrupted if its project uses more than its share. */
  readonly turnSeconds: number;
  /** A project must have waited this long for a slot before a task of another project is interrupted. */
  readonly waitSeconds: number;
  /** Limits that a project cannot exceed, even if slots are free. */
  readonly projectQuota: number | undefined;
  readonly accountBudget: number | undefined;
}

/** Reassigns slots that one project has occupied for a long time to projects that are waiting for slots. */
export interface SlotSharing {
  /** Interrupts at most one task per waiting project and lane. Returns the uids of the interrupted tasks. */
  interrupt(nowMs: number): Promise<string[]>;
}

interface Waiting {
  readonly uid: string;
  readonly project: string;
  readonly lane: Lane;
  readonly demand: number;
  readonly account: string;
}

interface Running {
  readonly project: string;
  readonly lane: Lane;
  readonly agent_uid: string;
  readonly account: string;
  readonly uid: string;
  readonly lease_token: string;
  readonly seconds: number;
  readonly stopping: boolean;
}

const systemProject = "system";
const noAccount = "00000000-0000-0000-0000-000000000000";

/**
 * Creates the slot sharing of one server. It tracks how long each project has been waiting. A project's share is the count of busy slots on
 * the agents that could run its task, divided by the number of projects that use or wait for slots.
 */
export function createSlotSharing(database: Database, rules: ShareRules): SlotSharing {
  const since = new Map<string, number>();
  let demands: Demand[] = [];
  return {
    async interrupt(nowMs) {
      const waiting = await listWaiting(database);
      const keys = new Set(waiting.map(keyOf));
      for (const key of since.keys()) if (!keys.has(key)) since.delete(key);
      for (const key of keys) if (!since.has(key)) since.set(key, nowMs);
      const ripe = waiting.filter((task) => nowMs - (since.get(keyOf(task)) ?? nowMs) >= rules.waitSeconds * 1000);
      if (ripe.length === 0) return [];
      const [running, agents] = [await listRunning(database), await listLiveAgents(database)];
      if (ripe.some(({ demand }) => demand > demands.length)) demands = await listDemands(database, 0);
      const stopped = new Set<string>();
      for (const task of ripe) {
        const victim = findVictim(
          task,
          { running: running.filter(({ uid }) => !stopped.has(uid)), agents, waiting, demands },
          rules,
        );
        if (victim === undefined) continue;
        // The next interruption for this project requires another full wait.
        since.set(keyOf(task), nowMs);
        stopped.add(victim.uid);
        await requeue(database, victim, task.project);
      }
      return [...stopped];
    },
  };
}

function keyOf({ project, lane }: Pick<Waiting, "project" | "lane">): string {
  return `${lane} ${project}`;
}

interface Scene {
  readonly running: readonly Running[];
  readonly agents: readonly LiveAgent[];
  readonly waiting: readonly Waiting[];
  readonly demands: readonly Demand[];
}

/** Returns the task that must make room for a waiting one, or undefined if there is none. */
export function findVictim(task: Waiting, { running, agents, waiting, demands }: Scene, rules: ShareRules): Running | undefined {
  const demand = demands.find(({ id }) => id === task.demand);
  if (demand === undefined || isLimited(task, running, rules)) return undefined;
  const able = new Set(agents.filter((agent) => serves(agent, task, demand)).map(({ uid }) => uid));
  const rivals = running.filter(({ lane, agent_uid }) => lane === task.lane && able.has(agent_uid));
  // A task that is already being stopped frees a slot soon.
  if (rivals.some(({ stopping }) => stopping)) return undefined;
  const counts = new Map<string, number>();
  for (const { project } of rivals) counts.set(project, (counts.get(project) ?? 0) + 1);
  const projects = new Set([...counts.keys(), ...waiting.filter(({ lane }) => lane === task.lane).map(({ project }) => project)]);
  const share = Math.max(1, Math.floor(rivals.length / projects.size));
  if ((counts.get(task.project) ?? 0) >= share) return undefined;
  return rivals
    .filter(
      ({ project, seconds }) => project !== task.project && (counts.get(project) ?? 0) > share && seconds >= rules.turnSeconds,
    )
    .toSorted((a, b) => (counts.get(b.project) ?? 0) - (counts.get(a.project) ?? 0) || b.seconds - a.seconds)[0];
}

function serves(agent: LiveAgent, { project }: Waiting, demand: Demand): boolean {
  const isAllowed = agent.serves?.includes(project) ?? (agent.project === systemProject || agent.project === project);
  return isAllowed && findLack(demand, agent) === undefined;
}

/** Returns whether a project waits because of its own limits. */
function isLimited({ project, lane, account }: Waiting, running: readonly Running[], rules: ShareRules): boolean {
  const own = running.filter((task) => task.project === project);
  const { projectQuota = Infinity, accountBudget = Infinity } = rules;
  if (own.filter((task) => task.lane === lane).length >= projectQuota) return true;
  return account !== noAccount && own.filter((task) => task.account === account).length >= accountBudget;
}

/** Returns the oldest ready task of each project and lane. */
async function listWaiting(database: Database): Promise<Waiting[]> {
  const text = `select distinct on (l.lane, l.project) l.task_uid as uid, l.project, l.lane, l.demand, l.account_uid as account
    from task_line l where l.ready order by l.lane, l.project, l.priority desc, l.position`;
  return (await database.query<Waiting>({ name: "list-waiting-projects", text, values: [] })).rows;
}

async function listRunning(database: Database): Promise<Running[]> {
  const text = `select l.task_uid as uid, l.project, l.lane, l.agent_uid, l.account_uid as account, l.lease_token,
      extract(epoch from clock_timestamp() - l.started_at)::float8 as seconds,
      l.cancel_reason <> '' or exists (select from task_stop s where s.lease_token = l.lease_token) as stopping
    from task_line l where l.lease_token is not null`;
  return (await database.query<Running>({ name: "list-running-tasks", text, values: [] })).rows;
}

async function requeue(database: Database, { lease_token }: Running, project: string): Promise<void> {
  const reason = `interrupted and queued again, because project ${project} waits for its share of the agents`;
  const text = "insert into task_stop (lease_token, reason, kind) values ($1, $2, 'requeued') on conflict do nothing";
  await database.query({ name: "requeue-task", text, values: [lease_token, reason] });
}
