interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export interface GatherOptions {
  /** How many questions one group holds. */
  readonly most: number;
  /** How many groups are answered at once. More than one keeps a slow group from holding up everybody. */
  readonly atOnce: number;
}

/**
 * Returns a function that answers questions in groups, so that a statement is paid for once per group. Questions that arrive while a group
 * is being answered wait for the next one: no answer is older than its question. If a group fails, each question is answered alone.
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
      // Requests that arrived together are read within one turn of the event loop.
      setImmediate(() => void work());
    });
}
