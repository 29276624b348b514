import type { ReactNode } from "react";
import { Note } from "../design/layout.tsx";

/** Lists the warnings in a response, such as policy findings that do not block the change. */
export function Warnings({ of }: { readonly of: readonly string[] }): ReactNode {
  if (of.length === 0) return null;
  return (
    <ul className="cw-stack" style={{ listStyle: "none", margin: 0, padding: 0 }} aria-label="Warnings">
      {[...new Set(of)].map((warning) => (
        <li key={warning}>
          <Note tone="warn">
            <p style={{ overflowWrap: "anywhere" }}>{warning}</p>
          </Note>
        </li>
      ))}
    </ul>
  );
}
