import type { ReactNode } from "react";
import { readable, toneOf, type Tone } from "./phase.ts";

/** Renders a phase or state as a coloured word. The meaning never depends on colour alone. */
export function Phase({ state, work = false }: { readonly state: string | undefined; readonly work?: boolean }): ReactNode {
  const shown = state || "PENDING";
  const tone = toneOf(shown, work);
  return (
    <span className="cw-phase" data-tone={tone} data-busy={tone === "busy"}>
      <i />
      {readable(shown)}
    </span>
  );
}

/** Renders a short label in a frame. */
export function Tag({ children, tone }: { readonly children: ReactNode; readonly tone?: Tone }): ReactNode {
  return (
    <span className="cw-tag" data-tone={tone}>
      {children}
    </span>
  );
}

/** Renders a mark for simulated accounts and everything in them. */
export function Simulated({ is }: { readonly is: boolean | undefined }): ReactNode {
  return is === true ? <Tag tone="sim">simulated</Tag> : null;
}
