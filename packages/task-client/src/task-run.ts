import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import type { LeasedTask, TaskProgressSchema } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import type { Clock, Logger } from "@cloudwright/platform";
import type { BootTime } from "./boot-time.ts";
import { createChildren } from "./children.ts";
import { deliverOutcome, renderLines } from "./deliver-outcome.ts";
import type { HandlerOutcome } from "./handler.ts";
import { createJournal, reopenJournal, type Journal, type JournalStory } from "./journal.ts";
import { deadlineOf } from "./lease-time.ts";
import { createLogBuffer } from "./log-buffer.ts";
import { decideOutcome, renderFinish, toFailure, type StopReason } from "./outcome.ts";
import { leaseName } from "./process-table.ts";
import type { HandlerRegistry } from "./registry.ts";
import { runHandler } from "./run-handler.ts";
import type { SpareDirectories } from "./spare-directories.ts";
import { createStopper } from "./stopper.ts";
import type { Watchdog } from "./watchdog/watchdog.ts";
import type { Wire } from "./wire.ts";

/** Dependencies that all of an agent's tasks share. */
export interface TaskRunDeps {
  readonly wire: Wire;
  readonly watchdog: Watchdog;
  readonly registry: HandlerRegistry;
  readonly log: Logger;
  readonly clock: Clock;
  readonly bootTime: BootTime;
  /** The agent's directory, which contains the task directories. */
  readonly root: string;
  /** Directories of ended tasks, for reuse by later tasks. */
  readonly spares: SpareDirectories;
  /** Environment variables for every program. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cancelGraceMs: number;
  /** Schedules a heartbeat. */
  readonly beat: (when: "now" | "soon") => void;
  /** Aborted when the agent exits. Undelivered outcomes stay in their journals. */
  readonly giveUp: AbortSignal;
  /** Called if the task's directory cannot be written to. */
  readonly diskFull: () => void;
}

/** A leased task, from its lease until its outcome is delivered. */
export interface TaskRun {
  readonly task: LeasedTask;
  /** Returns the task's part of the next heartbeat. */
  report(): MessageInitShape<typeof TaskProgressSchema>;
  /** Returns whether there is progress or log output that has not been reported yet. */
  hasNews(): boolean;
  /** Handles the response to a heartbeat that was sent at `sentAtMs`. */
  heard(answer: { sentAtMs: number; leaseSeconds: number; renewed: boolean; cancelReason: string; seq: number }): void;
  stop(reason: StopReason): void;
  /** Returns true once the work has ended and only its outcome remains to be delivered. */
  isFinishing(): boolean;
  /** Resolves when the work has ended. */
  readonly worked: Promise<void>;
  /** Resolves when the outcome has been delivered or its delivery has been abandoned. */
  readonly ended: Promise<void>;
}

const resumedSeqs = 1_000_000;
const openTimeoutMs = 15_000;
const forgetAfterMs = 300_000;

/** Runs a task. If the journal of an earlier process is given, resumes the work or only delivers the recorded outcome. */
export function startTaskRun(deps: TaskRunDeps, task: LeasedTask, leasedSentAtMs: number, story?: JournalStory): TaskRun {
  const { bootTime, watchdog, clock } = deps;
  const log = deps.log.child({ task: task.uid, type: task.type, attempt: task.attempt });
  const lease = leaseName(task.leaseToken);
  const stopper = createStopper(deps.cancelGraceMs);
  const lines = createLogBuffer({
    nowMs: () => clock.now(),
    firstSeq: (story === undefined ? 0 : story.resumes + 1) * resumedSeqs + 1,
  });
  const confirmed = Promise.withResolvers<void>();
  const worked = Promise.withResolvers<void>();
  const progress: { percent: number; message: string; outputs?: JsonObject; changed: boolean } = {
    percent: 0,
    message: "",
    changed: true,
  };
  let leaseMs = task.leaseSeconds * 1000;
  let deadlineMs = 0;
  let surelyGoneMs = bootTime() + forgetAfterMs;
  let timer: NodeJS.Timeout | undefined;
  let finishing = false;

  const isHeld = (): boolean => bootTime() < deadlineMs;
  const stop = (reason: StopReason, detail?: string): void => {
    stopper.stop(reason, detail);
    confirmed.resolve();
  };
  const watch = (endMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => (bootTime() < endMs ? watch(endMs) : stop("expired")), Math.max(1, endMs - bootTime()));
  };
  const hold = (sentAtMs: number, leaseSeconds: number): void => {
    leaseMs = leaseSeconds * 1000;
    deadlineMs = Math.max(deadlineMs, deadlineOf(sentAtMs, leaseSeconds));
    surelyGoneMs = bootTime() + Math.max(forgetAfterMs, 10 * leaseMs);
    watchdog.guard(lease, deadlineMs, { expired: () => stop("expired"), unguarded: () => stop("unguarded") });
    watch(deadlineMs);
    confirmed.resolve();
  };
  // The response to a long poll may arrive long after the lease was granted. If half of the lease may have passed, the task waits until a
  // heartbeat confirms the lease.
  if (bootTime() - leasedSentAtMs < leaseMs / 2) hold(leasedSentAtMs, task.leaseSeconds);
  else watch(bootTime() + leaseMs);

  const work = async (journal: Journal): Promise<HandlerOutcome | undefined> => {
    await confirmed.promise;
    if (stopper.reason() !== undefined) return undefined;
    const children = createChildren({ watchdog, journal, environment: deps.environment }, { lease, isHeld });
    const held = { uid: task.uid, leaseToken: task.leaseToken };
    const how = { timeoutMs: openTimeoutMs, signal: stopper.signal };
    return runHandler({ registry: deps.registry, log }, task, {
      children,
      stopper,
      directory: journal.directory,
      resumed: story !== undefined,
      remainingMs: () => Math.max(0, deadlineMs - bootTime()),
      openState: () => deps.wire.openState(held, how),
      openCredentials: () => deps.wire.openCredentials(held, how),
      keepToken: (token, expiresAt) => deps.wire.keepToken(held, { token, expiresAt }, how),
      log(text) {
        for (const line of text.split("\n")) lines.add(line);
        deps.beat("soon");
      },
      progress(percent, message, outputs) {
        Object.assign(progress, {
          percent: clampPercent(percent),
          message: message.slice(0, 4096).toWellFormed(),
          changed: true,
          ...(outputs === undefined ? {} : { outputs }),
        });
        deps.beat("soon");
      },
    });
  };

  const run = async (): Promise<void> => {
    let journal: Journal | undefined;
    let said: HandlerOutcome | undefined;
    let finish = story?.finished;
    try {
      journal = story === undefined ? createJournal(deps.root, task, deps.spares) : reopenJournal(deps.root, task);
      if (finish === undefined) {
        if (story !== undefined) journal.resumed();
        said = await work(journal);
      }
    } catch (error) {
      log.error({ err: error }, "cannot run the task here");
      deps.diskFull();
      said = toFailure(error);
    }
    finishing = true;
    worked.resolve();
    clearTimeout(timer);
    watchdog.release(lease);
    if (stopper.reason() === "refused") {
      log.warn("lease lost; nothing is reported");
      return await journal?.remove();
    }
    finish ??= renderFinish(task, decideOutcome(said, stopper.reason()));
    try {
      journal?.finished(finish);
    } catch (error) {
      log.warn({ err: error }, "outcome not written to the journal");
    }
    const until = { signal: deps.giveUp, surelyGoneMs: () => surelyGoneMs };
    const keep = async (): Promise<void> => journal?.sync();
    const delivery = await deliverOutcome({ ...deps, log }, finish, { lines, report }, until, keep);
    log.info({ outcome: finish.outcome, code: finish.fault?.code, delivery }, "task ended");
    if (delivery !== "unanswered" || !deps.giveUp.aborted) return await journal?.remove();
    await keep().catch((error: unknown) => log.warn({ err: error }, "outcome not synced to the disk"));
    return journal?.close();
  };

  const report = (): MessageInitShape<typeof TaskProgressSchema> => {
    progress.changed = false;
    const { percent, message, outputs } = progress;
    const said = { progressPercent: percent, message, ...(outputs === undefined ? {} : { outputs }) };
    return { uid: task.uid, leaseToken: task.leaseToken, ...said, lines: renderLines(lines) };
  };
  const over = run().catch((error: unknown) => log.error({ err: error }, "could not end the task properly"));
  return {
    task,
    worked: worked.promise,
    ended: over,
    isFinishing: () => finishing,
    stop,
    hasNews: () => progress.changed || !lines.isEmpty(),
    report,
    heard({ sentAtMs, leaseSeconds, renewed, cancelReason, seq }) {
      if (!renewed) {
        // The lease may have ended because the server has just accepted the outcome. There is no point in sending the outcome again.
        if (finishing) surelyGoneMs = 0;
        return stop("refused");
      }
      lines.acknowledge(seq);
      if (finishing) return;
      if (stopper.reason() === undefined || isHeld()) hold(sentAtMs, leaseSeconds);
      if (cancelReason !== "") stop("cancelled", cancelReason);
    },
  };
}

function clampPercent(percent: number): number {
  return Number.isFinite(percent) ? Math.min(100, Math.max(0, Math.round(percent))) : 0;
}
