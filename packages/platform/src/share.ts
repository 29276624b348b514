/**
 * Returns a function that merges concurrent calls with the same key into one call of `ask`. A caller never joins a call that has already
 * started; it waits for the next one. No result is therefore older than its request.
 */
export function share<Answer>(): (question: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const running = new Map<string, Promise<unknown>>();
  const next = new Map<string, Promise<Answer>>();
  const start = async (question: string, ask: () => Promise<Answer>): Promise<Answer> => {
    // Wait one turn of the event loop, so that callers that arrived together share the call.
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
