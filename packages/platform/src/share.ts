/**
 * Returns a function that asks once for all callers who ask the same question at the same time. A caller never joins a question that was
 * asked before its own: it waits for the next one. No answer is older than its question.
 */
export function share<Answer>(): (question: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const running = new Map<string, Promise<unknown>>();
  const next = new Map<string, Promise<Answer>>();
  const start = async (question: string, ask: () => Promise<Answer>): Promise<Answer> => {
    // Callers that came together join within one turn of the event loop.
    await (running.get(question) ?? new Promise((resolve) => setImmediate(resolve)));
    next.delete(question);
    const answer = ask();
    const ended = answer.then(
      () => undefined,
      () => undefined,
    );
    running.set(question, ended);
    void ended.then(() => (running.get(question) === ended ? running.delete(question) : undefined));
    return answer;
  };
  return (question, ask) => {
    const joined = next.get(question) ?? start(question, ask);
    next.set(question, joined);
    return joined;
  };
}
