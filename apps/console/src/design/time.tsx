import { useSyncExternalStore, type ReactNode } from "react";

let now = Date.now();
const listeners = new Set<() => void>();
// One timer for all ages on a page.
setInterval(() => {
  now = Date.now();
  for (const listener of listeners) listener();
}, 5000);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// The formatter is created only once, because `toLocaleString` would create a formatter on every call.
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** Renders how long ago something happened, such as `5 min ago`. */
export function Age({ at }: { readonly at: string | undefined }): ReactNode {
  const current = useSyncExternalStore(subscribe, () => now);
  if (at === undefined || at === "") return <span className="cw-muted">–</span>;
  return (
    <time dateTime={at} title={whole.format(new Date(at))} className="cw-num">
      {describeAge(current - Date.parse(at))}
    </time>
  );
}

/** Renders an age such as `5 s ago`, `12 min ago`, `3 h ago` or `9 d ago`. */
function describeAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 5) return "now";
  if (seconds < 90) return `${seconds} s ago`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} d ago`;
}

/** Renders a duration such as `0.4 s`, `12 s` or `3 min 4 s`. */
export function describeDuration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const stamp = new Intl.DateTimeFormat("en-GB", {
  day: "2-digit",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hour12: false,
});

/** Renders a date and time, for records that users look up later. */
export function Moment({ at }: { readonly at: string | undefined }): ReactNode {
  if (at === undefined || at === "") return <span className="cw-muted">–</span>;
  return (
    <time dateTime={at} title={whole.format(new Date(at))} className="cw-num">
      {stamp.format(new Date(at)).replace(",", "")}
    </time>
  );
}

/**
 * Adapts a server message for the console. Converts times to the local time zone and removes commands that the console has a button
 * for.
 */
export function wordsOf(text: string | undefined): string {
  return (text ?? "")
    .replace(/: cloud run approve [-0-9a-f]+/, "")
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g, (at) =>
      stamp.format(new Date(at)).replace(",", "").slice(0, -3),
    );
}

export function clockTime(at: string | undefined): string {
  return at === undefined || at === "" ? "" : new Date(at).toLocaleTimeString("en-GB", { hour12: false });
}
