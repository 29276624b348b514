import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";

/** A unit of work that may have to wait for others. */
export interface Step {
  readonly key: string;
  /** Keys of steps that must be finished first. Keys of steps that do not exist are ignored. */
  readonly after: readonly string[];
}

/** How many steps run at a time, and what stops them. */
export interface OrderOptions {
  readonly parallelism: number;
  /** No further step starts after it was aborted. */
  readonly signal: AbortSignal;
}

/**
 * Runs every step after the steps that it waits for. After a failure or an abort it starts no further step, waits for those in progress, and throws
 * the first error. Throws immediately if steps wait for each other.
 */
export async function runInOrder<Item extends Step>(
  steps: readonly Item[],
  { parallelism, signal }: OrderOptions,
  run: (step: Item) => Promise<void>,
): Promise<void> {
  sortInOrder(steps);
  const waiting = new Map(steps.map((step) => [step.key, step]));
  const running = new Map<string, Promise<void>>();
  const failures: unknown[] = [];
  const isReady = ({ after }: Item): boolean => !after.some((key) => waiting.has(key) || running.has(key));
  while (waiting.size > 0 && failures.length === 0 && !signal.aborted) {
    for (const step of [...waiting.values()].filter(isReady).slice(0, parallelism - running.size)) {
      waiting.delete(step.key);
      const started = run(step)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(step.key));
      running.set(step.key, started);
    }
    await Promise.race(running.values());
  }
  await Promise.all(running.values());
  if (failures.length > 0) throw failures[0];
  if (waiting.size > 0) signal.throwIfAborted();
}

/** Returns the steps so that each comes after the steps that it waits for. Throws if steps wait for each other. */
export function sortInOrder<Item extends Step>(steps: readonly Item[]): Item[] {
  const left = new Map(steps.map((step) => [step.key, step]));
  const sorted: Item[] = [];
  while (left.size > 0) {
    const ready = [...left.values()].filter(({ after }) => !after.some((key) => left.has(key)));
    if (ready.length === 0)
      throw new Fault(deployerFaults.bad_stack, `resources depend on each other: ${[...left.keys()].join(", ")}`);
    for (const step of ready) left.delete(step.key);
    sorted.push(...ready);
  }
  return sorted;
}

/** Returns steps that run in the opposite order: each waits for the steps that waited for it. */
export function reverseOrder<Item extends Step>(steps: readonly Item[]): Item[] {
  return steps.map((step) => ({ ...step, after: steps.filter(({ after }) => after.includes(step.key)).map(({ key }) => key) }));
}
