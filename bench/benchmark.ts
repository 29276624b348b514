/** One comparison of a benchmark: ours beside its anchor, or beside a limit in absolute terms. */
export interface Measurement {
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  /** Median over the rounds. */
  readonly ours: number;
  /** Median of the anchor over the same rounds, or the limit. */
  readonly anchor: number;
  readonly ratio: number;
  /** The ratio may be at most this; where more is better, at least this. */
  readonly goal: number;
  readonly held: boolean;
  /** How it was measured, for the page of results. */
  readonly how: string;
}

/** What a benchmark is run with. */
export interface BenchmarkRun {
  /** Where servers under measurement write CPU profiles; undefined for none. */
  readonly profileDirectory: string | undefined;
  /** Tells the person who waits what is going on. */
  note(line: string): void;
}

/** A benchmark: one file, one question. */
export interface Benchmark {
  readonly id: string;
  /** As chosen on the command line, beside the id. */
  readonly name: string;
  run(run: BenchmarkRun): Promise<Measurement[]>;
}

/** Thrown if an anchor no longer does the same work as the product. A ratio to it would mean nothing. */
export class StaleAnchorError extends Error {}
