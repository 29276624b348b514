import { useSyncExternalStore, type ReactNode } from "react";

let now = Date.now();
const listeners = new Set<() => void>();
// All ages on a page share one timer.
setInterval(() => {
  now = Date.now();
  for (const listener of listeners) listener();
}, 5000);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Created once, because `toLocaleString` creates a formatter on every call.
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** Renders how long ago something happened. */
export function Age({ at }: { readonly at: string | undefined }): ReactNode {
  const current = useSyncExternalStore(subscribe, () => now);
  if (at === undefined || at === "") return <span className="cw-muted">–</span>;
  return (
    <time dateTime={at} title={whole.format(new Date(at))} className="cw-num">
      {describeAge(current - Date.parse(at))}
    </time>
  );
}

/** Returns an age such as `5 s ago`, `12 min ago`, `3 h ago` or `9 d ago`. */
function describeAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 5) return "now";
  if (seconds < 90) return `${seconds} s ago`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} d ago`;
}

/** Renders a duration: `0.4 s`, `12 s`, `3 min 4 s`. */
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

/** Renders date and time, for records that are looked up later. */
export function Moment({ at }: { readonly at: string | undefined }): ReactNode {
  if (at === undefined || at === "") return <span className="cw-muted">–</span>;
  return (
    <time dateTime={at} title={whole.format(new Date(at))} className="cw-num">
      {stamp.format(new Date(at)).replace(",", "")}
    </time>
  );
}

/** Adapts a server message for the console: times in the local time zone, no commands that a button replaces. */
export function wordsOf(text: string | undefined): string {
  return (text ?? "")
    .replace(/: cloud run approve [-0-9a-f]+/, "")
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g, (at) =>
      stamp.format(new Date(at)).replace(",", "").slice(0, -3),
    );
}

/** Renders the time of day. */
export function clockTime(at: string | undefined): string {
  return at === undefined || at === "" ? "" : new Date(at).toLocaleTimeString("en-GB", { hour12: false });
}
