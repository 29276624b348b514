/**
 * The task queue in PostgreSQL: enqueue, lease, renew, end, cancel and reap. An entity's tasks run strictly in order and never
 * concurrently. Projects take turns. All times come from the database's clock. This package knows what a task requires of an agent, but
 * must not know what the task does.
 */
export * from "./match-agent.ts";
export * from "./cancel.ts";
export * from "./canonical-json.ts";
export * from "./enqueue.ts";
export * from "./extend-leases.ts";
export * from "./faults.ts";
export * from "./find-tasks-by-key.ts";
export * from "./finish-together.ts";
export * from "./finish.ts";
export * from "./lease.ts";
export * from "./list-agent-presence.ts";
export * from "./list-tasks.ts";
export * from "./placement.ts";
export * from "./presence.ts";
export * from "./prune-tasks.ts";
export * from "./reap.ts";
export * from "./renew.ts";
export * from "./retry.ts";
export * from "./share-slots.ts";
export * from "./signal.ts";
export * from "./task-history.ts";
export * from "./task-key.ts";
export * from "./task-log.ts";
export * from "./task.ts";
export * from "./time-limits.ts";
export * from "./unplaceable.ts";
export * from "./wait-for-tasks.ts";
export * from "./watch-leases.ts";
