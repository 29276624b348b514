import { retryCollisions, type Database } from "@cloudwright/store";
import type { AgentAbility } from "./match-agent.ts";
import { createDemandBook, type DemandBook } from "./demands.ts";
import { lanes, type Lane, type LeasedTask, type Task } from "./task.ts";

/** An agent's request for tasks. */
export interface LeaseRequest extends AgentAbility {
  readonly agentUid: string;
  /** Free slots per lane. */
  readonly lanes: Readonly<Record<Lane, number>>;
  /**
   * All slots per lane, including busy ones. If a lane has several slots, a single project can take all but one of them, unless the agent
   * serves no other project with an account. If undefined or 0, one project may get all slots.
   */
  readonly slots?: Readonly<Record<Lane, number>>;
  /** Projects whose tasks the agent may get. All projects if undefined. */
  readonly projects: readonly string[] | undefined;
  readonly leaseSeconds: number;
  /** Maximum number of leased tasks that a project may have in each lane. Unlimited if undefined. */
  readonly projectQuota: number | undefined;
  /** Maximum number of leased tasks per account. Unlimited if undefined. */
  readonly accountBudget: number | undefined;
}

/** A cache that each process keeps between calls. Losing it only costs an extra query. */
interface LeaseMemory {
  readonly demands: DemandBook;
  /** The project served last in each lane. The next turn starts with the project after it. */
  readonly served: Record<Lane, string>;
}

const memories = new WeakMap<Database, LeaseMemory>();

/** The result of a lease request. */
export interface Leases {
  readonly tasks: LeasedTask[];
  /** Whether some of the agent's slots were reserved or kept free for other projects. If so, another agent might get tasks that this one did not. */
  readonly withheld: boolean;
}

/**
 * Leases as many ready tasks as the agent has free slots. Projects take turns. Within a project, tasks are ordered by priority, then by
 * age.
 */
export async function leaseTasks(database: Database, request: LeaseRequest): Promise<LeasedTask[]> {
  return (await requestLeases(database, request)).tasks;
}

/** Leases tasks like `leaseTasks`, and also reports whether reservations withheld slots. */
export async function requestLeases(database: Database, request: LeaseRequest): Promise<Leases> {
  const memory = recall(database);
  // Skips the query if the agent cannot satisfy any known demand.
  if (memory.demands.findSatisfied(request).length === 0) {
    await memory.demands.learn(database);
    if (memory.demands.findSatisfied(request).length === 0) return { tasks: [], withheld: false };
  }
  for (;;) {
    const answer = await ask(database, request, memory);
    if (answer.unknown) {
      await memory.demands.learn(database);
      continue;
    }
    lanes.forEach((lane, index) => (memory.served[lane] = answer.served[index] ?? ""));
    const leased = answer.tasks === null ? [] : (JSON.parse(answer.tasks) as Leased[]);
    return { tasks: leased.map(({ task, ...lease }) => ({ ...task, ...lease })), withheld: answer.withheld };
  }
}

type Leased = Pick<LeasedTask, "attempt" | "leaseToken" | "leaseExpiresAt"> & { readonly task: Task };

interface Answer {
  readonly unknown: boolean;
  readonly served: string[];
  readonly tasks: string | null;
  readonly withheld: boolean;
}

async function ask(database: Database, request: LeaseRequest, { demands, served }: LeaseMemory): Promise<Answer> {
  const values = [
    request.agentUid,
    lanes,
    lanes.map((lane) => request.lanes[lane]),
    lanes.map((lane) => served[lane]),
    demands.findSatisfied(request),
    demands.count(),
    request.projects ?? null,
    request.leaseSeconds,
    request.projectQuota ?? null,
    request.accountBudget ?? null,
    request.slots === undefined ? null : lanes.map((lane) => request.slots?.[lane] ?? 0),
  ];
  const text = "select unknown, served, tasks, withheld from lease_tasks($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
  // The function skips locked rows. PostgreSQL 15 nevertheless aborted it once because of a deadlock.
  const { rows } = await retryCollisions(() => database.query<Answer>({ name: "lease-tasks", text, values }));
  return rows[0] as Answer;
}

function recall(database: Database): LeaseMemory {
  const known = memories.get(database);
  if (known !== undefined) return known;
  const memory: LeaseMemory = { demands: createDemandBook(), served: { long: "", short: "" } };
  memories.set(database, memory);
  return memory;
}
