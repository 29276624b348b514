/** Returns the median. For an even number of values, it is the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error("cannot compute the median of no values");
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** Returns the nearest-rank percentile: at least `percent` % of the values are less than or equal to it. */
export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) throw new Error("cannot compute a percentile of no values");
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] as number;
}

/** Values of the product and the anchor, measured one directly after the other. */
export interface Round {
  readonly ours: number;
  readonly anchor: number;
}

/** Medians over all rounds and their ratio. `lowest` and `highest` are the lowest and highest ratio of any single round. */
export interface Comparison extends Round {
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Compares the medians of the product's and the anchor's rounds. */
export function compareRounds(rounds: readonly Round[]): Comparison {
  const ours = median(rounds.map((round) => round.ours));
  const anchor = median(rounds.map((round) => round.anchor));
  const ratios = rounds.map((round) => round.ours / round.anchor);
  return { ours, anchor, ratio: ours / anchor, lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}

/**
 * Measures the two sides alternately and swaps their order every round, so that other load on the machine affects them equally. Discards
 * the warm-up rounds, during which code is still being compiled.
 */
export async function interleave(
  counts: { readonly rounds: number; readonly warmUp: number },
  ours: () => Promise<number>,
  anchor: () => Promise<number>,
): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let index = -counts.warmUp; index < counts.rounds; index += 1) {
    const oursFirst = index % 2 === 0;
    const first = await (oursFirst ? ours : anchor)();
    const second = await (oursFirst ? anchor : ours)();
    if (index >= 0) rounds.push(oursFirst ? { ours: first, anchor: second } : { ours: second, anchor: first });
  }
  return rounds;
}
