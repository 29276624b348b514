import type { TaskState } from "../task.ts";

export interface ModelTask {
  readonly uid: string;
  readonly entity: number;
  readonly project: string;
  readonly maxAttempts: number;
  state: TaskState;
  attempt: number;
  delayed: boolean;
  cancelled: boolean;
  leaseToken: string;
}

/** A model of the queue without a database. It is an ordered list in which each entity's first open task is the head. */
export interface QueueModel {
  readonly tasks: ModelTask[];
  /** Number of slots that each project must leave to others, keyed by project. */
  readonly reserved: Map<string, number>;
  enqueue(task: Pick<ModelTask, "uid" | "entity" | "project" | "maxAttempts">): void;
  listLeasable(): ModelTask[];
  listLeased(): ModelTask[];
  lease(uid: string, leaseToken: string): void;
  end(task: ModelTask, verdict: "done" | "failed" | "cancelled" | "returned" | "retry"): void;
  cancel(tasks: readonly ModelTask[], running: "stop" | "leave"): void;
}

export function createQueueModel(): QueueModel {
  const tasks: ModelTask[] = [];
  const isOpen = ({ state }: ModelTask): boolean => state === "waiting" || state === "ready" || state === "leased";
  const promote = (): void => {
    for (const task of tasks.filter(({ state }) => state === "waiting")) {
      if (tasks.find((other) => other.entity === task.entity && isOpen(other)) === task) task.state = "ready";
    }
  };
  return {
    tasks,
    reserved: new Map(),
    enqueue(task) {
      tasks.push({ ...task, state: "waiting", attempt: 0, delayed: false, cancelled: false, leaseToken: "" });
      promote();
    },
    listLeasable: () => tasks.filter(({ state, delayed }) => state === "ready" && !delayed),
    listLeased: () => tasks.filter(({ state }) => state === "leased"),
    lease(uid, leaseToken) {
      const task = tasks.find((candidate) => candidate.uid === uid);
      if (task?.state !== "ready" || task.delayed) throw new Error(`${uid} was leased but is ${task?.state}`);
      Object.assign(task, { state: "leased", attempt: task.attempt + 1, leaseToken });
    },
    end(task, verdict) {
      const again = (verdict === "retry" && task.attempt < task.maxAttempts) || verdict === "returned";
      if (verdict === "done" || verdict === "failed" || verdict === "cancelled") task.state = verdict;
      else if (task.cancelled) task.state = "cancelled";
      else task.state = again ? "ready" : "failed";
      task.delayed = task.state === "ready" && verdict === "retry";
      if (task.state === "ready" && verdict === "returned") task.attempt -= 1;
      promote();
    },
    cancel(chosen, running) {
      for (const task of chosen.filter(isOpen)) {
        if (task.state !== "leased") task.state = "cancelled";
        else if (running === "stop") task.cancelled = true;
      }
      promote();
    },
  };
}
