import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";

/** A unit of work that may depend on other steps. */
export interface Step {
  readonly key: string;
  /** Keys of the steps that must finish first. Unknown keys are ignored. */
  readonly after: readonly string[];
}

export interface OrderOptions {
  readonly parallelism: number;
  /** After this signal is aborted, no further step starts. */
  readonly signal: AbortSignal;
}

/**
 * Runs each step after its dependencies. After a failure or an abort, does not start further steps, waits for the running ones and throws
 * the first error. Throws immediately if the dependencies form a cycle.
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

/** Sorts steps so that each one comes after its dependencies. Throws if the dependencies form a cycle. */
export function sortInOrder<Item extends Step>(steps: readonly Item[]): Item[] {
  const left = new Map(steps.map((step) => [step.key, step]));
  const sorted: Item[] = [];
  while (left.size > 0) {
    const ready = [...left.values()].filter(({ after }) => !after.some((key) => left.has(key)));
    if (ready.length === 0)
      throw new Fault(deployerFaults.bad_stack, `resources depend on each other in a cycle: ${[...left.keys()].join(", ")}`);
    for (const step of ready) left.delete(step.key);
    sorted.push(...ready);
  }
  return sorted;
}

/** Returns the steps with all dependencies reversed. */
export function reverseOrder<Item extends Step>(steps: readonly Item[]): Item[] {
  return steps.map((step) => ({ ...step, after: steps.filter(({ after }) => after.includes(step.key)).map(({ key }) => key) }));
}
