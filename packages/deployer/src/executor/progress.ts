const first = 15;
const last = 95;

/** Computes the progress of an apply from the resources that are finished. */
export interface Progress {
  /** Announces a change. Announcing the same address again has no effect. */
  planned(address: string, action: string): void;
  started(address: string, action: string): void;
  finished(address: string): void;
}

/** Creates a progress that reports percentages from 15 to 95: planning comes before and reading outputs after. */
export function createProgress(report: (percent: number, message: string) => void): Progress {
  const steps = new Map<string, number>();
  let finished = 0;
  const countPlanned = (): number => [...steps.values()].reduce((sum, count) => sum + count, 0);
  const percent = (): number => first + Math.round(((last - first) * finished) / Math.max(countPlanned(), finished, 1));
  return {
    // A replacement finishes twice: the deletion and the creation.
    planned: (address, action) => void steps.set(address, action === "replace" ? 2 : 1),
    started: (address, action) => report(percent(), `${address}: ${action}`),
    finished(address) {
      finished += 1;
      report(percent(), `${address}: finished, ${finished} of ${Math.max(countPlanned(), finished)}`);
    },
  };
}
