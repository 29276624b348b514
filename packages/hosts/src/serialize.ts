/** Runs work that must not overlap. Calls with the same key run one at a time, in the order in which they were made. */
export type Serialize = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createSerializer(): Serialize {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = tails.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (tails.get(key) === tail) tails.delete(key);
    }
  };
}
