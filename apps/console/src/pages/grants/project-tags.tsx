import type { ReactNode } from "react";
import { Tag } from "../../design/status.tsx";

/** Shows a list of projects. `none` says what an empty list means. */
export function ProjectTags({ of, none }: { readonly of: readonly string[] | undefined; readonly none: string }): ReactNode {
  if (of === undefined || of.length === 0) return <span className="cw-muted">{none}</span>;
  return (
    <span className="cw-row" style={{ gap: 6 }}>
      {of.map((name) => (
        <Tag key={name} {...(name === "*" ? { tone: "warn" } : {})}>
          {name === "*" ? "every project" : name}
        </Tag>
      ))}
    </span>
  );
}
