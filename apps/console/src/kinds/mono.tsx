import type { ReactNode } from "react";

/** Renders an identifier in a monospaced font. Renders nothing if it is empty. */
export function mono(text: string | undefined): ReactNode {
  return text === undefined || text === "" ? undefined : (
    <span className="cw-mono" style={{ whiteSpace: "pre-line" }}>
      {text}
    </span>
  );
}
