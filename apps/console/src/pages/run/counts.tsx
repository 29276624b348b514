import type { PlanCountsJson, PlannedChangeJson } from "@cloudwright/api-client";
import type { ReactNode } from "react";

/** Counts the planned changes by action. */
export function countChanges(changes: readonly PlannedChangeJson[]): PlanCountsJson {
  const count = (action: string): number => changes.filter((change) => change.action === action).length;
  return { create: count("create"), update: count("update"), replace: count("replace"), delete: count("delete") };
}

/** Shows how many resources a plan adds, changes, replaces and deletes, or a dash if the counts are unknown. */
export function Counts({ of }: { readonly of: PlanCountsJson | undefined }): ReactNode {
  if (of === undefined) return <span className="cw-muted">–</span>;
  const parts = [
    ["+", of.create, "good", "to add"],
    ["~", of.update, "warn", "to change"],
    ["±", of.replace, "bad", "to replace"],
    ["−", of.delete, "bad", "to delete"],
  ] as const;
  const shown = parts.filter(([, count]) => (count ?? 0) > 0);
  if (shown.length === 0) return <span className="cw-muted">no changes</span>;
  return (
    <span className="cw-row cw-num" style={{ gap: 10, display: "inline-flex" }}>
      {shown.map(([sign, count, tone, words]) => (
        <b key={sign} data-tone={tone} style={{ color: "var(--tone)", fontWeight: 620 }} title={`${count} ${words}`}>
          {sign}
          {count}
        </b>
      ))}
    </span>
  );
}
