import { backOffMs, pickChildEnvironment, processEnvironment, type Clock, type Logger } from "@cloudwright/platform";
import { fork } from "node:child_process";

/** A child process that answers pings. */
export interface PingedProcess {
  ping(): void;
  /** Asks the process to finish its work and end. */
  stop(): void;
  kill(): void;
  /** Calls the listener for every message, including answers to pings. The first message indicates that the process has started. */
  onMessage(listener: (message: unknown) => void): void;
  /** Resolves with the reason when the process has ended. */
  readonly ended: Promise<string>;
}

/** The dependencies of the supervisor. */
export interface SuperviseDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly onMessage: (message: unknown) => void;
  /** Called before a restart if the process crashed or was killed because it did not respond. */
  readonly onCrash?: () => Promise<void>;
}

// A process whose memory is exhausted ends with SIGABRT or SIGTRAP. Other signals come from operators.
const crash = /^(signal SIG(ABRT|BUS|FPE|ILL|SEGV|TRAP)|exit code [1-9]\d*)$/;

/** The limits after which a process counts as stuck. */
export interface PingLimits {
  readonly everyMs: number;
  /** Number of consecutive pings that a process may leave unanswered. */
  readonly mostUnanswered: number;
  /** Number of intervals within which a new process must send its first message. */
  readonly mostToStart: number;
}

/** The answer to a ping. */
export const pong = "pong";

const pingLimits: PingLimits = { everyMs: 1000, mostUnanswered: 5, mostToStart: 60 };
const restartBackOff = { firstMs: 500, longestMs: 30_000 };

/**
 * Keeps a process running until the signal is aborted. Restarts it when it ends, and kills it if it has not responded for a few seconds.
 * Resolves when the process has ended.
 */
export async function superviseProcess(
  deps: SuperviseDeps,
  start: () => PingedProcess,
  signal: AbortSignal,
  limits: PingLimits = pingLimits,
): Promise<void> {
  const { clock, log } = deps;
  for (let failures = 0; !signal.aborted; failures++) {
    const startedAtMs = clock.now();
    const { reason, isStuck } = await runOnce(deps, start(), signal, limits);
    if (signal.aborted) return;
    log.error({ reason }, "a simulation process exited; restarting it");
    if (isStuck || crash.test(reason))
      await deps
        .onCrash?.()
        .catch((error: unknown) => log.error({ err: error }, "could not record a crash of a simulation process"));
    if (clock.now() - startedAtMs > restartBackOff.longestMs) failures = 0;
    await clock.sleep(backOffMs(restartBackOff, failures), signal).catch(() => undefined);
  }
}

async function runOnce(
  deps: SuperviseDeps,
  child: PingedProcess,
  signal: AbortSignal,
  limits: PingLimits,
): Promise<{ readonly reason: string; readonly isStuck: boolean }> {
  let isStuck = false;
  let unanswered = 0;
  let allowed = limits.mostToStart;
  child.onMessage((message) => {
    unanswered = 0;
    allowed = limits.mostUnanswered;
    if (message !== pong) deps.onMessage(message);
  });
  const stop = (): void => child.stop();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  const finished = new AbortController();
  const watch = async (): Promise<void> => {
    // Counts pings instead of time, so that a pause in this process does not count against the child process.
    for (;;) {
      await deps.clock.sleep(limits.everyMs, finished.signal);
      if (unanswered >= allowed) {
        deps.log.error({ unanswered }, "a simulation process is not answering; killing it");
        isStuck = true;
        return child.kill();
      }
      unanswered++;
      child.ping();
    }
  };
  watch().catch(() => undefined);
  try {
    const reason = await child.ended;
    return { reason, isStuck };
  } finally {
    finished.abort();
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Starts a Node.js process with its own heap limit. If such a process exhausts its memory, only that process ends. A thread that exhausts
 * its memory would end the whole server. `settings` is sent as the first message, so that secrets appear neither in the arguments nor in
 * the environment.
 */
export function forkProcess(file: URL, heapMiB: number, settings: unknown): PingedProcess {
  const execArgv = [...process.execArgv.filter((flag) => !flag.startsWith("--inspect")), `--max-old-space-size=${heapMiB}`];
  const child = fork(file, { execArgv, env: pickChildEnvironment(processEnvironment), serialization: "advanced" });
  const send = (message: unknown): void => {
    // A process that has just ended cannot receive messages. Its exit is reported separately.
    if (child.connected) child.send(message as object, () => undefined);
  };
  send(settings);
  return {
    ping: () => send("ping"),
    stop: () => send("stop"),
    kill: () => void child.kill("SIGKILL"),
    onMessage: (listener) => void child.on("message", listener),
    ended: new Promise((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", (code, by) => resolve(by === null ? `exit code ${code}` : `signal ${by}`));
    }),
  };
}
