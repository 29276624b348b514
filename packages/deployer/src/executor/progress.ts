const first = 15;
const last = 95;

/** Computes an apply's progress from the number of finished changes. */
export interface Progress {
  /** Registers a planned change. Repeated calls for the same address count once. */
  planned(address: string, action: string): void;
  started(address: string, action: string): void;
  finished(address: string): void;
}

/** Creates a tracker that reports progress between 15 and 95 percent. The rest is reserved for planning and for reading outputs. */
export function createProgress(report: (percent: number, message: string) => void): Progress {
  const steps = new Map<string, number>();
  let finished = 0;
  const countPlanned = (): number => [...steps.values()].reduce((sum, count) => sum + count, 0);
  const percent = (): number => first + Math.round(((last - first) * finished) / Math.max(countPlanned(), finished, 1));
  return {
    // A replacement consists of a deletion and a creation, so Terraform reports two completions.
    planned: (address, action) => void steps.set(address, action === "replace" ? 2 : 1),
    started: (address, action) => report(percent(), `${address}: ${action}`),
    finished(address) {
      finished += 1;
      report(percent(), `${address}: finished (${finished} of ${Math.max(countPlanned(), finished)})`);
    },
  };
}
