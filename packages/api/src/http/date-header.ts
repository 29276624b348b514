import type { Clock } from "@cloudwright/platform";

/**
 * Creates a function that renders the `date` header from the clock that is used to validate tokens. Agents use the time in this header to
 * sign their tokens, because their own clocks may be skewed. The text is rendered at most once a second.
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
