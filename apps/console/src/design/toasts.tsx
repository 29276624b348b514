import { CloseButton } from "@mantine/core";
import { useSyncExternalStore, type ReactNode } from "react";
import { toFault } from "../data/client.ts";
import { Note } from "./layout.tsx";
import type { Tone } from "./phase.ts";

interface Toast {
  readonly id: number;
  readonly tone: Tone;
  readonly text: ReactNode;
}

let toasts: readonly Toast[] = [];
let next = 0;
const listeners = new Set<() => void>();
const stayMs = { good: 4000, warn: 12_000, bad: 12_000 };

function set(to: readonly Toast[]): void {
  toasts = to;
  for (const listener of listeners) listener();
}

/** Shows a short message in the corner of the page. */
export function toast(tone: keyof typeof stayMs, text: ReactNode): void {
  const id = (next += 1);
  set([...toasts.slice(-3), { id, tone, text }]);
  setTimeout(() => set(toasts.filter((each) => each.id !== id)), stayMs[tone]);
}

/** Shows a fault in the corner of the page. */
export function toastFault(error: unknown): void {
  const { message, help } = toFault(error);
  toast("bad", `${message}. ${help}`);
}

/** Renders the messages in the corner of the page. */
export function Toasts(): ReactNode {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="cw-toasts" role="status" aria-live="polite">
      {shown.map(({ id, tone, text }) => (
        <Note key={id} tone={tone}>
          <div className="cw-row" style={{ flexWrap: "nowrap", alignItems: "flex-start" }}>
            <p style={{ flex: 1 }}>{text}</p>
            <CloseButton size="sm" aria-label="Dismiss" onClick={() => set(toasts.filter((each) => each.id !== id))} />
          </div>
        </Note>
      ))}
    </div>
  );
}
