import type { Database } from "@cloudwright/store";
import type { AgentAbility } from "./match-agent.ts";
import { createDemandBook, type DemandBook } from "./demands.ts";
import { lanes, type Lane, type LeasedTask, type Task } from "./task.ts";

/** The tasks that an agent requests. */
export interface LeaseRequest extends AgentAbility {
  readonly agentUid: string;
  /** The number of free slots per lane. */
  readonly lanes: Readonly<Record<Lane, number>>;
  /** Only tasks of these projects. All if undefined. */
  readonly projects: readonly string[] | undefined;
  readonly leaseSeconds: number;
  /** How many tasks of one project and lane may be leased concurrently. Unlimited if undefined. */
  readonly projectQuota: number | undefined;
  /** How many tasks of one account may be leased concurrently. Unlimited if undefined. */
  readonly accountBudget: number | undefined;
}

/** What a process remembers between leases. Losing it costs a query, never correctness. */
interface LeaseMemory {
  readonly demands: DemandBook;
  /** The project that was served last, by lane. The next turn starts after it. */
  readonly served: Record<Lane, string>;
}

const memories = new WeakMap<Database, LeaseMemory>();

/** Leases as many tasks as there are slots and work: projects in turn, within a project by priority, then by age. */
export async function leaseTasks(database: Database, request: LeaseRequest): Promise<LeasedTask[]> {
  const memory = recall(database);
  // An agent that satisfies none of the known demands need not search the ready tasks.
  if (memory.demands.findSatisfied(request).length === 0) {
    await memory.demands.learn(database);
    if (memory.demands.findSatisfied(request).length === 0) return [];
  }
  for (;;) {
    const answer = await ask(database, request, memory);
    if (answer.unknown) {
      await memory.demands.learn(database);
      continue;
    }
    lanes.forEach((lane, index) => (memory.served[lane] = answer.served[index] ?? ""));
    return answer.tasks === null
      ? []
      : (JSON.parse(answer.tasks) as Leased[]).map(({ task, ...lease }) => ({ ...task, ...lease }));
  }
}

type Leased = Pick<LeasedTask, "attempt" | "leaseToken" | "leaseExpiresAt"> & { readonly task: Task };

interface Answer {
  readonly unknown: boolean;
  readonly served: string[];
  readonly tasks: string | null;
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
  ];
  const text = "select unknown, served, tasks from lease_tasks($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
  const { rows } = await database.query<Answer>({ name: "lease-tasks", text, values });
  return rows[0] as Answer;
}

function recall(database: Database): LeaseMemory {
  const known = memories.get(database);
  if (known !== undefined) return known;
  const memory: LeaseMemory = { demands: createDemandBook(), served: { long: "", short: "" } };
  memories.set(database, memory);
  return memory;
}
