/** Header that says after how many milliseconds without a response the caller is considered disconnected. */
export const silenceHeader = "cloudwright-silence-ms";

/**
 * Header that makes a call stop or kill a running task and wait until it has ended, instead of starting a task. The value is `stop`, which
 * allows a grace period, or `kill`, which does not.
 */
export const followHeader = "cloudwright-follow";

/** Header that is set if an earlier agent process left the task unfinished. */
export const resumedHeader = "cloudwright-resumed";

/** Parses the silence header. Returns a value between 200 and 60,000, or 5,000 if the header is invalid. */
export function readSilenceMs(text: string | null): number {
  const ms = Number(text ?? "");
  return Number.isFinite(ms) && ms > 0 ? Math.min(60_000, Math.max(200, ms)) : 5000;
}
