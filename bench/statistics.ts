/** The middle value; the mean of the two middle ones for an even count. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error("the median of nothing");
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** The value that so many percent of all do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) throw new Error("a percentile of nothing");
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] as number;
}

/** Ours and the anchor's value of one round, measured one right after the other. */
export interface Round {
  readonly ours: number;
  readonly anchor: number;
}

/** What rounds come to: medians, their ratio, and how far the rounds' own ratios lie apart. */
export interface Comparison extends Round {
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Compares the medians of rounds. */
export function compareRounds(rounds: readonly Round[]): Comparison {
  const ours = median(rounds.map((round) => round.ours));
  const anchor = median(rounds.map((round) => round.anchor));
  const ratios = rounds.map((round) => round.ours / round.anchor);
  return { ours, anchor, ratio: ours / anchor, lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}

/**
 * Measures both sides in turn, the order changing from round to round, so that whatever else the machine does meets both alike.
 * The first rounds, in which code is still being compiled, do not count.
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
