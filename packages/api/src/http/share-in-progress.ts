/**
 * Returns a function that calls `run`. While a call is in progress, further callers share its result. A flood of anonymous readiness checks
 * therefore uses one database connection.
 */
export function shareInProgress<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | undefined;
  return () => (current ??= run().finally(() => (current = undefined)));
}
