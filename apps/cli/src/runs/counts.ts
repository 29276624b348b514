import type { PlanCountsJson } from "@cloudwright/api-client";

/** Renders `1 to import, 3 to add, 2 to change, 1 to destroy`. Like Terraform, counts a replaced resource as both added and destroyed. */
export function renderCounts(counts: PlanCountsJson | undefined): string {
  const { create = 0, update = 0, replace = 0, delete: gone = 0, import: taken = 0 } = counts ?? {};
  if (create + update + replace + gone + taken === 0) return "no changes";
  const line = [
    ...(taken > 0 ? [`${taken} to import`] : []),
    `${create + replace} to add`,
    `${update} to change`,
    `${gone + replace} to destroy`,
  ].join(", ");
  return replace > 0 ? `${line} (${replace} replaced)` : line;
}

/** Renders counts for a table column, such as `+3 ~2 -/+1 -1`. */
export function renderCountsBriefly(counts: PlanCountsJson | undefined): string {
  if (counts === undefined) return "";
  const { create = 0, update = 0, replace = 0, delete: gone = 0, import: taken = 0 } = counts;
  const parts = [
    ["+", create],
    ["~", update],
    ["-/+", replace],
    ["-", gone],
    ["<", taken],
  ] as const;
  const some = parts.filter(([, count]) => count > 0).map(([sign, count]) => `${sign}${count}`);
  return some.length === 0 ? "none" : some.join(" ");
}
