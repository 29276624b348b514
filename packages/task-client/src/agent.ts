import type { LeasedTask } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { systemClock, type Clock, type Logger, type Secret } from "@cloudwright/platform";
import { createTokenSource } from "./agent-token.ts";
import { bootTime as machineBootTime, type BootTime } from "./boot-time.ts";
import { lockDirectory } from "./directory-lock.ts";
import { createHeartbeat } from "./heartbeat.ts";
import type { AgentIdentity } from "./identity.ts";
import { joinAgent } from "./join-agent.ts";
import type { JournalStory } from "./journal.ts";
import { runLeaseLoop } from "./lease-loop.ts";
import { recoverTasks } from "./recover.ts";
import type { HandlerRegistry } from "./registry.ts";
import { release } from "./release.ts";
import { createSpareDirectories } from "./spare-directories.ts";
import { startTaskRun, type TaskRun, type TaskRunDeps } from "./task-run.ts";
import { createWaker } from "./waker.ts";
import { startWatchdog } from "./watchdog/watchdog.ts";
import { createWire } from "./wire.ts";

export interface AgentOptions {
  /** The server's URL, for example `http://127.0.0.1:8480`. */
  readonly server: string;
  readonly name: string;
  /** Directory for the agent's identity file and the task directories. */
  readonly directory: string;
  /** Labels that decide which tasks the agent gets. Separate several values with commas. `*` matches any value. */
  readonly labels: Readonly<Record<string, string>>;
  /** Maximum number of concurrent tasks per lane. */
  readonly slots: { readonly long: number; readonly short: number };
  /** Returns the one-time join token. Called only if the directory contains no identity. */
  readonly joinToken?: (() => Promise<Secret | undefined> | Secret | undefined) | undefined;
  /** Environment variables for all programs that handlers start. */
  readonly environment: Readonly<Record<string, string>>;
  /** Time that running tasks get to finish when the agent is stopped. */
  readonly stopGraceMs: number;
  /** Time between SIGINT and SIGKILL for a program. */
  readonly cancelGraceMs: number;
  /** Maximum time in seconds that a poll waits for tasks. Default: 20. */
  readonly pollSeconds?: number;
}

/** Leases tasks and runs their handlers. */
export interface Agent {
  /** Joins the server if necessary, resumes unfinished tasks and starts taking new ones. */
  start(): Promise<AgentIdentity>;
  /** Stops taking tasks. Running tasks get a grace period to finish. Tasks that do not finish in time are handed back to the server. */
  stop(): Promise<void>;
  /** Returns the number of tasks that the agent holds. */
  running(): number;
}

const diskRestMs = 5000;
const lastWordsMs = 5000;

/** Creates an agent. It always talks to the server over the network, even if both run in the same process. */
export function createAgent(
  deps: { readonly log: Logger; readonly registry: HandlerRegistry; readonly clock?: Clock; readonly bootTime?: BootTime },
  options: AgentOptions,
): Agent {
  const { log, registry, clock = systemClock, bootTime = machineBootTime } = deps;
  const { directory } = options;
  const runs = new Map<string, TaskRun>();
  const polling = new AbortController();
  const beating = new AbortController();
  const giveUp = new AbortController();
  const slotWakers = { long: createWaker(clock), short: createWaker(clock) };
  const loops: Promise<void>[] = [];
  const closers: (() => Promise<void> | void)[] = [];
  let stopping: Promise<void> | undefined;
  let restUntilMs = 0;
  const lastRunMs = { long: Infinity, short: Infinity };

  const laneOf = (task: LeasedTask): "long" | "short" => (task.lane === "short" ? "short" : "long");
  const free = (lane: "long" | "short"): number =>
    options.slots[lane] - [...runs.values()].filter((run) => laneOf(run.task) === lane).length;

  const start = async (): Promise<AgentIdentity> => {
    closers.push(await lockDirectory(directory));
    const join = { ...options, joinToken: options.joinToken, version: release, signal: polling.signal };
    const identity = await joinAgent({ log, clock }, join);
    const tokens = createTokenSource({ identity, clock, bootTime });
    const wire = createWire({ server: options.server, tokens, version: release });
    closers.push(() => wire.close());
    const watchdog = await startWatchdog({ log, clock });
    closers.push(() => watchdog.close());
    const spares = createSpareDirectories(directory);
    closers.push(() => spares.close());
    const heartbeat = createHeartbeat({ wire, bootTime, clock, log, runs: () => [...runs.values()] });
    const { environment, cancelGraceMs } = options;
    const shared = { wire, watchdog, registry, log, clock, bootTime, environment, cancelGraceMs };
    const taskDeps: TaskRunDeps = {
      ...shared,
      root: directory,
      spares,
      beat: (when) => heartbeat.beat(when),
      giveUp: giveUp.signal,
      diskFull: () => void (restUntilMs = bootTime() + diskRestMs),
    };

    const begin = (task: LeasedTask, sentAtMs: number, story?: JournalStory): TaskRun => {
      const startedAtMs = bootTime();
      const run = startTaskRun(taskDeps, task, sentAtMs, story);
      runs.set(task.leaseToken, run);
      void run.ended.finally(() => {
        runs.delete(task.leaseToken);
        lastRunMs[laneOf(task)] = bootTime() - startedAtMs;
        slotWakers[laneOf(task)].wake();
      });
      if (polling.signal.aborted) run.stop("stopping");
      // A handler that finishes immediately needs no heartbeat before its outcome is sent.
      setImmediate(() => heartbeat.beat(run.isFinishing() ? "in-time" : "now"));
      return run;
    };
    loops.push(heartbeat.run(beating.signal));
    for (const found of await recoverTasks({ wire, log, clock, bootTime, root: directory }, polling.signal)) {
      const run = begin(found.task, found.sentAtMs, found.story);
      const { sentAtMs, cancelReason, task } = found;
      run.heard({ sentAtMs, leaseSeconds: task.leaseSeconds, renewed: true, cancelReason, seq: 0 });
    }
    for (const lane of ["long", "short"] as const) {
      const self = () => ({ labels: { ...options.labels }, types: registry.types(), version: release });
      const loop = {
        ...shared,
        self,
        lane,
        free: () => free(lane),
        slots: options.slots[lane],
        slotFreed: slotWakers[lane],
        restMs: () => restUntilMs - bootTime(),
        lastRunMs: () => lastRunMs[lane],
        start: begin,
        waitSeconds: options.pollSeconds ?? 20,
      };
      loops.push(runLeaseLoop(loop, polling.signal));
    }
    return identity;
  };

  const stop = async (): Promise<void> => {
    polling.abort(new Error("the agent is being stopped"));
    const allEnded = async (): Promise<void> => void (await Promise.all([...runs.values()].map(({ ended }) => ended)));
    const allWorked = async (): Promise<void> => void (await Promise.all([...runs.values()].map(({ worked }) => worked)));
    await waitAtMost(options.stopGraceMs, allWorked());
    for (const run of runs.values()) run.stop("stopping");
    await allWorked();
    await waitAtMost(lastWordsMs, allEnded());
    giveUp.abort(new Error("the agent is being stopped"));
    await allEnded();
    beating.abort(new Error("the agent is being stopped"));
    await Promise.all(loops);
    for (const close of closers.toReversed()) await close();
  };

  const waitAtMost = async (ms: number, what: Promise<void>): Promise<void> => {
    const end = new AbortController();
    await Promise.race([what, clock.sleep(ms, end.signal).catch(() => undefined)]);
    end.abort();
  };

  return { start, stop: () => (stopping ??= stop()), running: () => runs.size };
}
