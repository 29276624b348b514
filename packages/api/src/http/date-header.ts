import type { Clock } from "@cloudwright/platform";

/**
 * The `date` header by the clock that tokens are judged by, which need not be the machine's: agents sign by what it says. Rendered once
 * a second.
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
