import { dropIgnoredChanges, type IgnoreRule, type ResourceSchemas } from "@cloudwright/terraform";
import type { PlannedChange } from "./executor-plan.ts";
import { renderPath } from "./render-path.ts";

/** Resources that changed or disappeared in the cloud since the last apply. Lists attribute paths but never values. */
export interface Drift {
  readonly drifted: boolean;
  /** One line that describes at most five changes. */
  readonly summary: string;
  readonly items: readonly {
    readonly address: string;
    readonly resourceType: string;
    readonly action: "update" | "delete";
    readonly paths: readonly string[];
  }[];
  /** Count of changed attributes that ignore rules excluded. */
  readonly ignored: number;
}

/**
 * Summarises changes as drift and leaves out attributes that the rules ignore. Paths stop at a set, because an ignore rule cannot name an
 * element of a set. So every reported path can be used in a rule.
 */
export function describeDrift(
  changes: readonly PlannedChange[],
  rules: readonly IgnoreRule[],
  { cutAtSet }: ResourceSchemas = { cutAtSet: (_type, path) => path },
): Drift {
  const changed = changes.filter(({ action, changedPaths }) => action === "delete" || changedPaths.length > 0);
  const left = dropIgnoredChanges(changed, rules);
  const count = (all: readonly PlannedChange[]): number => all.reduce((sum, { changedPaths }) => sum + changedPaths.length, 0);
  return {
    drifted: left.length > 0,
    summary: summarise(left),
    items: left.map(({ address, resourceType, action, changedPaths }) => ({
      address,
      resourceType,
      action: action === "delete" ? "delete" : "update",
      paths: action === "delete" ? [] : [...new Set(changedPaths.map(({ path }) => renderPath(cutAtSet(resourceType, path))))],
    })),
    ignored: count(changed) - count(left),
  };
}

const named = 5;

function summarise(changes: readonly Pick<PlannedChange, "address" | "action" | "changedPaths">[]): string {
  const parts = changes.slice(0, named).map(({ address, action, changedPaths }) => {
    if (action === "delete") return `${address} no longer exists`;
    const paths = [...new Set(changedPaths.map(({ path }) => String(path[0])))];
    return `${address}: ${paths.join(", ")} changed`;
  });
  return [...parts, ...(changes.length > named ? [`and ${changes.length - named} more`] : [])].join("; ");
}
