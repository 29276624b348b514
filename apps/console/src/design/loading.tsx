import type { ReactNode } from "react";

/** Renders placeholder rows while data is loading, so that the layout does not jump. */
export function Loading({ rows = 6 }: { readonly rows?: number }): ReactNode {
  return (
    <div className="cw-loading" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <i key={index} style={{ width: `${92 - ((index * 17) % 40)}%` }} />
      ))}
    </div>
  );
}
