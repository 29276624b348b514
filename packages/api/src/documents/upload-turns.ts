import { Fault, type Clock } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";
import { createRateLimiter } from "../http/limits.ts";

export interface UploadLimits {
  /** Maximum number of large uploads in progress: in total, per project and per agent. */
  readonly total: number;
  readonly perProject: number;
  readonly perAgent: number;
  /** Number of large uploads that a project may start per minute, on average. Also the maximum burst. */
  readonly perMinute: number;
  /** How long an upload waits for its turn. It must be shorter than the time limit for a request. */
  readonly waitMs: number;
}

const defaultUploadLimits: UploadLimits = { total: 4, perProject: 2, perAgent: 2, perMinute: 240, waitMs: 15_000 };

/** Identifies who uploads. */
export interface Uploader {
  readonly project: string;
  readonly agent: string;
}

/** Limits uploads of large states and plans, which use a lot of memory and time. */
export interface UploadTurns {
  /** Waits for a turn. The returned function ends it and may be called more than once. */
  take(uploader: Uploader): Promise<() => void>;
}

/**
 * Creates the turns of one server. An upload waits before its body is read, so a waiting upload uses no memory. Uploads of one project
 * wait for each other before they wait for other projects.
 */
export function createUploadTurns(deps: { readonly clock: Clock }, limits: UploadLimits = defaultUploadLimits): UploadTurns {
  const running: Uploader[] = [];
  const waiting: { readonly uploader: Uploader; readonly start: () => void }[] = [];
  const starts = createRateLimiter(deps, { perSecond: limits.perMinute / 60, burst: limits.perMinute });
  const count = (isOwn: (other: Uploader) => boolean): number => running.filter(isOwn).length;
  const hasRoom = ({ project, agent }: Uploader): boolean =>
    running.length < limits.total &&
    count((other) => other.project === project) < limits.perProject &&
    count((other) => other.agent === agent) < limits.perAgent;
  const proceed = (): void => {
    const index = waiting.findIndex(({ uploader }) => hasRoom(uploader));
    const [next] = index < 0 ? [] : waiting.splice(index, 1);
    next?.start();
  };
  const begin = (uploader: Uploader): (() => void) => {
    const own = { ...uploader };
    running.push(own);
    return () => {
      const index = running.indexOf(own);
      if (index < 0) return;
      running.splice(index, 1);
      proceed();
    };
  };
  return {
    async take(uploader) {
      const admission = starts.take(uploader.project);
      if (!admission.allowed) throw busy(`project ${uploader.project} uploads too often`, admission.retryAfterMs);
      if (hasRoom(uploader) && !waiting.some((other) => other.uploader.project === uploader.project)) return begin(uploader);
      return new Promise((resolve, reject) => {
        const turn = {
          uploader,
          start: (): void => {
            clearTimeout(timer);
            resolve(begin(uploader));
          },
        };
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(turn), 1);
          reject(busy(`other uploads of project ${uploader.project} or its agent are in progress`, 1000));
        }, limits.waitMs);
        waiting.push(turn);
      });
    },
  };
}

function busy(why: string, retryAfterMs: number): Fault {
  return new Fault(apiFaults.uploads_busy, `the upload cannot start: ${why}`, { retryAfterMs });
}
