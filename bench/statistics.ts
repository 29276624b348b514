/** Returns the median. For an even count it is the mean of the two middle values. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error("cannot compute the median of no values");
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** Returns the smallest value that is not exceeded by the given percentage of values. */
export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) throw new Error("cannot compute a percentile of no values");
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] as number;
}

/** The values of the product and the anchor in one round, measured directly after each other. */
export interface Round {
  readonly ours: number;
  readonly anchor: number;
}

/** The medians of all rounds and their ratio. `lowest` and `highest` are the extreme ratios of single rounds. */
export interface Comparison extends Round {
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Compares the product and the anchor by the medians of their rounds. */
export function compareRounds(rounds: readonly Round[]): Comparison {
  const ours = median(rounds.map((round) => round.ours));
  const anchor = median(rounds.map((round) => round.anchor));
  const ratios = rounds.map((round) => round.ours / round.anchor);
  return { ours, anchor, ratio: ours / anchor, lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}

/**
 * Measures both sides alternately and changes the order every round, so that other load on the machine affects both equally.
 * Drops the warm-up rounds, in which code is still being compiled.
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
