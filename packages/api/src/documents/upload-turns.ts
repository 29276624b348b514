import { type Clock, createRateLimiter, Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

export interface UploadLimits {
  /** Maximum number of large uploads in progress: in total, per project and per agent. */
  readonly total: number;
  readonly perProject: number;
  readonly perAgent: number;
  /** Average number of large uploads that a project may start per minute. Also the maximum burst. */
  readonly perMinute: number;
  /** How long an upload may wait for its turn. This must be shorter than the time limit for a request. */
  readonly waitMs: number;
  /** Maximum number of large uploads per project that may wait for their turn. */
  readonly waiting: number;
  /** Time limit for sending the whole upload, counted from the start of its turn. */
  readonly receiveMs: number;
}

const defaultUploadLimits: UploadLimits = {
  total: 4,
  perProject: 2,
  perAgent: 3,
  perMinute: 240,
  waitMs: 15_000,
  waiting: 32,
  receiveMs: 30_000,
};

/**
 * Limits for uploads of ordinary size. Each takes only milliseconds, but a project that sends thousands at a time must not delay other
 * projects. The parser's thread accepts 8 waiting documents per project.
 */
export const smallUploadLimits: Partial<UploadLimits> = { total: 64, perProject: 6, perAgent: 32, perMinute: 6000, waiting: 100 };

/** Retry delay for an upload that was rejected because too many others were waiting. The queue usually advances within this time. */
const crowdedRetryMs = 5000;

/** Identifies the uploading agent and its project. Agents in different projects can have the same name, so `agent` is a uid. */
export interface Uploader {
  readonly project: string;
  readonly agent: string;
}

/** Limits uploads of states and plans, because each upload takes memory and CPU time. */
export interface UploadTurns {
  /**
   * Waits for a turn. The returned function ends the turn and may be called more than once. If `gone` is aborted first, because the client
   * disconnected, the upload stops waiting.
   */
  take(uploader: Uploader, gone?: AbortSignal): Promise<() => void>;
  readonly receiveMs: number;
}

/**
 * Creates the upload limiter for one server. An upload waits before its body is read, so a waiting upload uses little memory. A free turn
 * goes to the project with the fewest uploads in progress. In a tie, it goes to the project whose last turn was longest ago.
 */
export function createUploadTurns(deps: { readonly clock: Clock }, given: Partial<UploadLimits> = {}): UploadTurns {
  const limits = { ...defaultUploadLimits, ...given };
  const running: Uploader[] = [];
  const waiting: { readonly uploader: Uploader; readonly start: () => void }[] = [];
  const starts = createRateLimiter(deps, { perSecond: limits.perMinute / 60, burst: limits.perMinute });
  const count = (isOwn: (other: Uploader) => boolean): number => running.filter(isOwn).length;
  // The number of waiting uploads is not limited per agent. Otherwise, one project's uploads through a shared agent could cause other
  // projects' uploads to be rejected.
  const isCrowded = ({ project }: Uploader): boolean =>
    waiting.filter(({ uploader }) => uploader.project === project).length >= limits.waiting;
  const hasRoom = ({ project, agent }: Uploader): boolean =>
    running.length < limits.total &&
    count((other) => other.project === project) < limits.perProject &&
    count((other) => other.agent === agent) < limits.perAgent;
  const lastTurns = new Map<string, number>();
  let turnsTaken = 0;
  const precedence = ({ project }: Uploader): readonly [number, number] => [
    count((other) => other.project === project),
    lastTurns.get(project) ?? 0,
  ];
  /**
   * Starts every waiting upload that the limits allow. When one upload ends, two others may be able to start: one from the same project and
   * one from the same agent.
   */
  const proceed = (): void => {
    for (;;) {
      const ready = waiting.filter(({ uploader }) => hasRoom(uploader));
      const next = ready.toSorted((a, b) => compare(precedence(a.uploader), precedence(b.uploader)))[0];
      if (waiting.length === 0) lastTurns.clear();
      if (next === undefined) return;
      waiting.splice(waiting.indexOf(next), 1);
      next.start();
    }
  };
  const begin = (uploader: Uploader): (() => void) => {
    const own = { ...uploader };
    running.push(own);
    lastTurns.set(uploader.project, (turnsTaken += 1));
    return () => {
      const index = running.indexOf(own);
      if (index < 0) return;
      running.splice(index, 1);
      proceed();
    };
  };
  return {
    receiveMs: limits.receiveMs,
    async take(uploader, gone) {
      if (isCrowded(uploader)) throw busy(`too many other uploads from project ${uploader.project} are waiting`, crowdedRetryMs);
      const admission = starts.take(uploader.project);
      if (!admission.allowed) throw busy(`project ${uploader.project} uploads too often`, admission.retryAfterMs);
      if (hasRoom(uploader) && !waiting.some((other) => other.uploader.project === uploader.project)) return begin(uploader);
      return new Promise((resolve, reject) => {
        const settle = (): void => {
          clearTimeout(timer);
          gone?.removeEventListener("abort", leave);
        };
        const turn = {
          uploader,
          start: (): void => {
            settle();
            resolve(begin(uploader));
          },
        };
        const giveUp = (fault: Fault): void => {
          settle();
          waiting.splice(waiting.indexOf(turn), 1);
          reject(fault);
        };
        const leave = (): void => giveUp(new Fault(apiFaults.timeout, "the client disconnected before its upload started"));
        const timer = setTimeout(
          () => giveUp(busy(`other uploads from project ${uploader.project} or its agent are in progress`, 1000)),
          limits.waitMs,
        );
        gone?.addEventListener("abort", leave);
        waiting.push(turn);
      });
    },
  };
}

function compare([a, earlier]: readonly [number, number], [b, later]: readonly [number, number]): number {
  return a - b || earlier - later;
}

function busy(why: string, retryAfterMs: number): Fault {
  return new Fault(apiFaults.uploads_busy, `the upload cannot start: ${why}`, { retryAfterMs });
}
