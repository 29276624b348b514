/** Runs pieces of work with the same key one after the other. Work with different keys runs concurrently. */
export type Serializer = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createSerializer(): Serializer {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const current = before.then(work, work);
    last.set(key, current);
    try {
      return await current;
    } finally {
      if (last.get(key) === current) last.delete(key);
    }
  };
}
