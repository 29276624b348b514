import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { TaskReportSchema, type TaskInfo, type TaskReport } from "@cloudwright/contract/gen/cloudwright/v1/deployer_pb.ts";
import type { Clock, Logger } from "@cloudwright/platform";
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import type { Http2Session } from "node:http2";
import { join } from "node:path";
import type { BootTime } from "../boot-time.ts";
import { createChildren } from "../children.ts";
import type { HandlerOutcome } from "../handler.ts";
import { decideOutcome, renderFault, toFailure } from "../outcome.ts";
import { leaseName } from "../process-table.ts";
import type { HandlerRegistry } from "../registry.ts";
import { runHandler } from "../run-handler.ts";
import { createStopper } from "../stopper.ts";
import type { Watchdog } from "../watchdog/watchdog.ts";
import { createChannel } from "./report-channel.ts";
import { readCredentials, readStateAccess } from "./state-access.ts";

export interface DeployerRunDeps {
  readonly registry: HandlerRegistry;
  readonly watchdog: Watchdog;
  readonly log: Logger;
  readonly clock: Clock;
  readonly bootTime: BootTime;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly cancelGraceMs: number;
}

/** Details of the gRPC call that started a run. */
export interface DeployerCall {
  readonly session: Http2Session;
  /** Time without a response after which the agent is considered disconnected. */
  readonly silenceMs: number;
  /** True if an earlier agent process left the task unfinished. */
  readonly resumed: boolean;
}

/** A task that a deployer runs for an agent. */
export interface DeployerRun {
  readonly info: TaskInfo;
  readonly reports: AsyncIterable<TaskReport>;
  /** Sends SIGINT, then SIGKILL after a grace period. */
  stop(): void;
  kill(): void;
  /** Resolves with the last report. */
  readonly ended: Promise<TaskReport>;
}

/**
 * Runs a task while its agent responds to pings. The watchdog kills the programs if the agent is frozen or disconnected, or if this process
 * is frozen.
 */
export function startDeployerRun(deps: DeployerRunDeps, info: TaskInfo, call: DeployerCall): DeployerRun {
  const { session, silenceMs } = call;
  const { bootTime, clock, watchdog } = deps;
  const log = deps.log.child({ task: info.uid, type: info.type, attempt: info.attempt });
  const lease = leaseName(randomUUID());
  const stopper = createStopper(deps.cancelGraceMs);
  const reports = createChannel<TaskReport>();
  const directory = join(deps.directory, "runs", lease);
  let deadlineMs = 0;
  let seq = 0;

  const kill = (): void => stopper.stop("refused");
  const hear = (sentAtMs: number): void => {
    deadlineMs = sentAtMs + silenceMs;
    watchdog.guard(lease, deadlineMs, { expired: kill, unguarded: () => stopper.stop("unguarded") });
  };
  const ping = (): void => {
    const sentAtMs = bootTime();
    if (session.closed || session.destroyed) return kill();
    session.ping((error) => {
      if (error === null && !done) hear(sentAtMs);
    });
  };
  const say = (report: MessageInitShape<typeof TaskReportSchema>["report"] & {}): void =>
    reports.push(create(TaskReportSchema, { report }));

  const run = async (): Promise<HandlerOutcome | undefined> => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const journal = { directory, childStarted: () => undefined, childEnded: () => undefined };
    const children = createChildren({ ...deps, journal }, { lease, isHeld: () => bootTime() < deadlineMs });
    return runHandler({ registry: deps.registry, log }, info, {
      children,
      stopper,
      directory,
      resumed: call.resumed,
      openState: async () => readStateAccess(info),
      openCredentials: async () => readCredentials(info),
      keepToken: async (token, expiresAt) =>
        say({ case: "token", value: { token: token.reveal(), expiresAt: timestampFromDate(expiresAt) } }),
      remainingMs: () => Math.max(0, deadlineMs - bootTime()),
      log: (text) => {
        for (const line of text.split("\n"))
          say({ case: "line", value: { seq: (seq += 1), at: timestampFromMs(clock.now()), line } });
      },
      progress: (percent, message, outputs) => {
        const value = { progressPercent: Math.round(percent), message, ...(outputs === undefined ? {} : { outputs }) };
        say({ case: "progress", value });
      },
    });
  };

  let done = false;
  hear(bootTime());
  const pings = setInterval(ping, silenceMs / 4);
  session.once("close", kill);
  const ended = run()
    .catch(toFailure)
    .then((said) => {
      done = true;
      clearInterval(pings);
      session.off("close", kill);
      watchdog.release(lease);
      rmSync(directory, { recursive: true, force: true });
      const outcome = decideOutcome(said, stopper.reason() === undefined ? undefined : "cancelled");
      const report = render(outcome);
      reports.push(report);
      reports.end();
      log.info({ outcome: outcome.outcome, ...("fault" in outcome ? { code: outcome.fault?.code } : {}) }, "task ended");
      return report;
    });
  return { info, reports, ended, stop: () => stopper.stop("cancelled"), kill };
}

function render(outcome: ReturnType<typeof decideOutcome>): TaskReport {
  const value = {
    outcome: outcome.outcome,
    ...("outputs" in outcome && outcome.outputs !== undefined ? { outputs: outcome.outputs } : {}),
    ...(outcome.outcome === "failed" ? { fault: renderFault(outcome.fault) } : {}),
  };
  return create(TaskReportSchema, { report: { case: "outcome", value } });
}
