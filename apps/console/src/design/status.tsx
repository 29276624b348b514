import type { ReactNode } from "react";
import { readable, toneOf, type Tone } from "./phase.ts";

/** A phase or state as a coloured word; the word alone says everything, for those who see no colours. */
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

/** A small word in a frame. */
export function Tag({ children, tone }: { readonly children: ReactNode; readonly tone?: Tone }): ReactNode {
  return (
    <span className="cw-tag" data-tone={tone}>
      {children}
    </span>
  );
}

/** Says that nothing behind this exists: wherever a simulated account or what is in it appears. */
export function Simulated({ is }: { readonly is: boolean | undefined }): ReactNode {
  return is === true ? <Tag tone="sim">simulated</Tag> : null;
}
