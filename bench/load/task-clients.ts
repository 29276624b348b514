/** Takes some work and completes it. Returns the number of completed items. */
export type TakeWork = () => Promise<number>;

/** The result of a slice of work. */
export interface Slice {
  readonly done: number;
  readonly seconds: number;
}

/** Runs clients concurrently until `amount` items are done. Work in progress at that point is completed, too. */
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
