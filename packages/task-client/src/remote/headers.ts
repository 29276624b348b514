/** Says how long the caller may be silent before it counts as gone. */
export const silenceHeader = "cloudwright-silence-ms";

/** On a call for a task that runs already: wait for its end, after a `stop` or a `kill`. Nothing is started by it. */
export const followHeader = "cloudwright-follow";

/** Says that an agent that ended has left the task half done. */
export const resumedHeader = "cloudwright-resumed";

/** How long silence may last, from the header. */
export function readSilenceMs(text: string | null): number {
  const ms = Number(text ?? "");
  return Number.isFinite(ms) && ms > 0 ? Math.min(60_000, Math.max(200, ms)) : 5000;
}
