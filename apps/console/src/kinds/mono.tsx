import type { ReactNode } from "react";

/** Renders an identifier in a monospaced font. Renders nothing if it is empty. */
export function mono(text: string | undefined): ReactNode {
  return text === undefined || text === "" ? undefined : (
    <span className="cw-mono" style={{ whiteSpace: "pre-line" }}>
      {text}
    </span>
  );
}

/** Renders an identifier, or a list of identifiers on separate lines. Renders nothing for any other value. */
export function monoLines(value: unknown): ReactNode {
  return mono(Array.isArray(value) ? value.map(String).join("\n") : typeof value === "string" ? value : undefined);
}
