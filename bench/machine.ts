import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { systemClock } from "@cloudwright/platform";

/** Machine and date of a benchmark run, printed on the results page. */
export interface Machine {
  readonly date: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  /** Load average over the last minute. */
  readonly load: number;
}

export function describeMachine(): Machine {
  return {
    date: new Date(systemClock.now()).toISOString().slice(0, 10),
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    load: loadavg()[0] ?? 0,
  };
}
