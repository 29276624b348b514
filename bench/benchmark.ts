/** One result of a benchmark: the product compared with its anchor, or with an absolute limit. */
export interface Measurement {
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  /** Median over the rounds. */
  readonly ours: number;
  /** Median of the anchor over the same rounds, or the limit. */
  readonly anchor: number;
  readonly ratio: number;
  /** The highest allowed ratio, or the lowest if more is better. */
  readonly goal: number;
  readonly held: boolean;
  /** Describes the measurement on the results page. */
  readonly how: string;
}

/** The options of a benchmark run. */
export interface BenchmarkRun {
  /** The directory for CPU profiles of the measured servers. Undefined: no profiles. */
  readonly profileDirectory: string | undefined;
  /** Prints a line of progress. */
  note(line: string): void;
}

/** One benchmark. Each has a file of its own and answers one question. */
export interface Benchmark {
  readonly id: string;
  /** Selects the benchmark on the command line, as the id does. */
  readonly name: string;
  run(run: BenchmarkRun): Promise<Measurement[]>;
}

/** Thrown if an anchor no longer does the same work as the product. A ratio to it would mean nothing. */
export class StaleAnchorError extends Error {}
