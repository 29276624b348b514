interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export interface GatherOptions {
  /** Maximum batch size. */
  readonly most: number;
  /** Maximum number of concurrent batches. With more than one, a slow batch does not block all callers. */
  readonly atOnce: number;
}

/**
 * Returns a function that resolves lookups in batches, so that many concurrent lookups share one database statement. A lookup never joins a
 * batch that has already started, so no result is older than its request. If a batch fails, each of its lookups is retried individually.
 */
export function gather<Question, Answer>(
  answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  { most, atOnce }: GatherOptions = { most: 64, atOnce: 2 },
): (question: Question) => Promise<Answer> {
  const waiting: Waiting<Question, Answer>[] = [];
  let busy = 0;
  const answerGroup = async (group: readonly Waiting<Question, Answer>[]): Promise<void> => {
    try {
      const answers = await answerAll(group.map(({ question }) => question));
      group.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error);
      else await Promise.all(group.map((one) => answerGroup([one])));
    }
  };
  const work = async (): Promise<void> => {
    while (waiting.length > 0) await answerGroup(waiting.splice(0, most));
    busy -= 1;
  };
  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (busy >= atOnce) return;
      busy += 1;
      // Wait one turn of the event loop, so that requests that arrived together share a batch.
      setImmediate(() => void work());
    });
}
