/** Takes a batch of work items and completes them. Returns the number of completed items. */
export type TakeWork = () => Promise<number>;

export interface Slice {
  readonly done: number;
  readonly seconds: number;
}

/** Runs clients concurrently until at least `amount` items are done. Items in progress at that point are still completed. */
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
