/** Takes some work and completes it; answers how much that was. */
export type TakeWork = () => Promise<number>;

/** Lets clients take work, each with a way of its own, until all of it is done; tasks per second. */
export async function drainQueue(clients: readonly TakeWork[], total: number): Promise<number> {
  const left = { count: total };
  const started = performance.now();
  await Promise.all(
    clients.map(async (takeWork) => {
      while (left.count > 0) {
        const done = await takeWork();
        left.count -= done;
      }
    }),
  );
  if (left.count < 0) throw new Error(`${total - left.count} tasks were done, not ${total}`);
  return (total / (performance.now() - started)) * 1000;
}
