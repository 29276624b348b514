/** Says how long the caller may be silent before it counts as gone. */
export const silenceHeader = "cloudwright-silence-ms";

/** On a call for a task that is already running: wait for its end, after a `stop` or a `kill`. Starts nothing. */
export const followHeader = "cloudwright-follow";

/** Says that an earlier agent process left the task unfinished. */
export const resumedHeader = "cloudwright-resumed";

/** Reads from the header how long silence may last. */
export function readSilenceMs(text: string | null): number {
  const ms = Number(text ?? "");
  return Number.isFinite(ms) && ms > 0 ? Math.min(60_000, Math.max(200, ms)) : 5000;
}
