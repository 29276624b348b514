import { describeError } from "@cloudwright/platform";
import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import type { WatchedChange } from "../cluster/cluster-state.ts";
import type { CloudHooks } from "./cloud-hooks.ts";
import { mostPerStep, type Controller, type Pace, type Scope } from "./controller.ts";
import { allControllers } from "./all-controllers.ts";
import { recordEvent } from "./record-event.ts";

/** The controllers of one loaded cluster. */
export interface RunningControllers {
  /** Returns true if no work is pending. */
  isSettled(): boolean;
  /** Resolves when no work is pending. */
  settled(): Promise<void>;
  stop(): void;
}

const mostChangesPerTurn = 100;

/** Runs all controllers of a cluster. Changes and timers wake them, so there is no polling. Each turn is executed by `run`. */
export function runControllers(
  cluster: AwakeCluster,
  hooks: CloudHooks,
  pace: Pace,
  onTrouble: (message: string) => void,
  run: <Result>(work: () => Result) => Result = (work) => work(),
): RunningControllers {
  const stopping = new AbortController();
  const queues = new Map<Controller, Set<string>>(allControllers.map((controller) => [controller, new Set()]));
  const scopes = new Map<Controller, Scope>(allControllers.map((controller) => [controller, createScope(controller)]));
  let outside = 0;
  let timers = 0;
  let isScheduled = false;
  let nextController = 0;
  let onSettled: (() => void)[] = [];

  function take(change: WatchedChange): void {
    for (const [controller, queue] of queues) for (const key of controller.keysOf(change, cluster)) queue.add(key);
    schedule();
  }

  function schedule(): void {
    if (isScheduled || stopping.signal.aborted) return;
    isScheduled = true;
    setImmediate(drain);
  }

  function drain(): void {
    isScheduled = false;
    if (stopping.signal.aborted) return;
    run(reconcileSome);
    // Stored writes are reported back as changes and may queue more work, so the check waits until they are stored.
    void cluster.state.kept().then(checkSettled, () => undefined);
  }

  // Ends the turn after a limited number of keys or changes, so that requests and other clusters are served in between. The following turn
  // starts with the next controller.
  function reconcileSome(): void {
    const { state } = cluster;
    const startVersion = state.version();
    for (let count = 0; count < allControllers.length; count++) {
      const controller = allControllers[nextController] as Controller;
      const queue = queues.get(controller) as Set<string>;
      for (const key of [...queue].slice(0, mostPerStep)) {
        queue.delete(key);
        reconcile(controller, key);
        if (state.version() - startVersion >= mostChangesPerTurn) return schedule();
      }
      if (queue.size > 0) schedule();
      nextController = (nextController + 1) % allControllers.length;
    }
  }

  function reconcile(controller: Controller, key: string): void {
    const slash = key.indexOf("/");
    try {
      controller.reconcile(scopes.get(controller) as Scope, key.slice(0, slash), key.slice(slash + 1));
    } catch (error) {
      onTrouble(`${controller.name} ${key}: ${describeError(error)}`);
    }
  }

  function isSettled(): boolean {
    return !isScheduled && timers === 0 && outside === 0 && [...queues.values()].every((queue) => queue.size === 0);
  }

  function checkSettled(): void {
    if (!isSettled()) return;
    const waiting = onSettled;
    onSettled = [];
    for (const resolve of waiting) resolve();
  }

  function createScope(controller: Controller): Scope {
    const due = new Map<string, number>();
    const busy = new Set<string>();
    const again = (key: string): void => {
      queues.get(controller)?.add(key);
      schedule();
    };
    const wakeAfter = (key: string, ms: number): void => {
      timers++;
      cluster.clock
        .sleep(ms, stopping.signal)
        .then(() => {
          timers--;
          again(key);
        })
        .catch(() => undefined);
    };
    return {
      cluster,
      hooks,
      pace,
      again,
      isDue(key, what, ms) {
        const name = `${key} ${what}`;
        const at = due.get(name);
        if (at === undefined) {
          due.set(name, cluster.clock.now() + ms);
          wakeAfter(key, ms);
          return false;
        }
        // Timers may fire slightly early.
        if (at > cluster.clock.now() + 1) return false;
        due.delete(name);
        return true;
      },
      doOutside(key, work, failed) {
        if (busy.has(key)) return;
        busy.add(key);
        outside++;
        void work()
          .then(
            () => again(key),
            (error: unknown) => {
              if (stopping.signal.aborted) return;
              failed(error);
              wakeAfter(key, pace.retryMs);
            },
          )
          .catch((error: unknown) => onTrouble(`${controller.name} ${key}: ${describeError(error)}`))
          .finally(() => {
            busy.delete(key);
            outside--;
          });
      },
      event(about, type, reason, message, source) {
        try {
          recordEvent(cluster, about, { type, reason, message, source });
        } catch (error) {
          // A full cluster cannot store events. The work that the event reports must continue regardless.
          onTrouble(`event ${reason} of ${about.kind} ${about.metadata.name}: ${describeError(error)}`);
        }
      },
    };
  }

  const stopListening = cluster.state.onChange(take);
  for (const { key, object, size } of cluster.state.listAll()) {
    take({ version: 0, resource: key.resource, type: "ADDED", object, previous: undefined, size, previousMemory: 0 });
  }
  return {
    isSettled,
    async settled() {
      await cluster.state.kept();
      if (isSettled()) return;
      await new Promise<void>((resolve) => onSettled.push(resolve));
    },
    stop() {
      stopListening();
      stopping.abort();
    },
  };
}
