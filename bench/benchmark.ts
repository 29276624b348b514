/** One result of a benchmark. It compares the product with its anchor (a comparable baseline) or with an absolute limit. */
export interface Measurement {
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  /** The product's median over all rounds. */
  readonly ours: number;
  /** The anchor's median over the same rounds, or the absolute limit. */
  readonly anchor: number;
  readonly ratio: number;
  /** The highest allowed ratio, or the lowest allowed ratio if higher values are better. */
  readonly goal: number;
  readonly held: boolean;
  /** Method of measurement, printed on the results page. */
  readonly how: string;
}

export interface BenchmarkRun {
  /** Directory for CPU profiles of the measured servers, or undefined to record none. */
  readonly profileDirectory: string | undefined;
  /** Prints a progress line. */
  note(line: string): void;
}

/** One benchmark. Each benchmark has its own file. */
export interface Benchmark {
  readonly id: string;
  /** Alternative to the id on the command line. */
  readonly name: string;
  run(run: BenchmarkRun): Promise<Measurement[]>;
}

/** Thrown when an anchor no longer does the same work as the product, because the ratio would then be meaningless. */
export class StaleAnchorError extends Error {}
