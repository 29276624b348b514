import type { Clock } from "@cloudwright/platform";

/**
 * Creates a function that renders the `date` header from the clock that validates tokens. Agents sign tokens by this time,
 * because their own clock may differ. It is rendered once a second.
 */
export function createDateHeader(clock: Clock): () => string {
  let second = Number.NaN;
  let text = "";
  return () => {
    const now = Math.floor(clock.now() / 1000);
    if (now !== second) {
      second = now;
      text = new Date(now * 1000).toUTCString();
    }
    return text;
  };
}
