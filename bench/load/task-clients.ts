/** Takes some work and completes it; answers how much that was. */
export type TakeWork = () => Promise<number>;

/** What a slice of work came to. */
export interface Slice {
  readonly done: number;
  readonly seconds: number;
}

/** Lets clients take work at the same time until so much is done; what is under way then is done too. */
export async function runSlice(clients: readonly TakeWork[], amount: number): Promise<Slice> {
  const slice = { done: 0 };
  const started = performance.now();
  await Promise.all(
    clients.map(async (takeWork) => {
      while (slice.done < amount) {
        const done = await takeWork();
        slice.done += done;
      }
    }),
  );
  return { done: slice.done, seconds: (performance.now() - started) / 1000 };
}
