import { objectOf } from "@cloudwright/platform";
import type { Json, JsonObject } from "../task.ts";
import type { ChangedAttribute, ExecutorPlan, PlannedChange, PlannedDependency } from "./executor-plan.ts";
import { renderPath } from "./render-path.ts";

/** Resource counts by planned action. */
export type PlanCounts = { create: number; update: number; replace: number; delete: number; import: number };

/** A plan in the format that the control plane stores for reviewers and policies. It contains no sensitive values. */
export interface DescribedPlan {
  readonly counts: PlanCounts;
  readonly changes: readonly JsonObject[];
  readonly drift: readonly JsonObject[];
  readonly dependencies: readonly PlannedDependency[];
}

/** Converts any executor's plan to the format that the control plane stores. */
export function describePlan({
  changes,
  drift,
  dependencies,
}: Pick<ExecutorPlan, "changes" | "drift" | "dependencies">): DescribedPlan {
  const relevant = changes.filter(({ action, importId }) => action !== "none" || importId !== undefined);
  return {
    counts: countChanges(relevant),
    changes: relevant.map((change) => ({
      ...describeChange(change),
      values: { before: change.before as Json, after: change.after as Json },
    })),
    drift: drift.map(describeChange),
    dependencies,
  };
}

/** Counts managed resources by planned action. */
function countChanges(changes: readonly PlannedChange[]): PlanCounts {
  const managed = changes.filter(({ mode }) => mode === "managed");
  const count = (wanted: string): number => managed.filter(({ action }) => action === wanted).length;
  return {
    create: count("create"),
    update: count("update"),
    replace: count("replace"),
    delete: count("delete"),
    import: managed.filter(({ importId }) => importId !== undefined).length,
  };
}

function describeChange(change: PlannedChange): JsonObject {
  const { address, resourceType, action, changedPaths, replacePaths, reason = "" } = change;
  return {
    address,
    resourceType,
    action,
    attributes: changedPaths.flatMap((changed) =>
      changed.path.length > 0 ? [describeAttribute(changed)] : describeWhole(change),
    ),
    replacePaths: replacePaths.map(renderPath),
    reason,
  };
}

/** Lists every attribute of a resource that is created or deleted. Sensitive and unknown values are already masked in the input. */
function describeWhole({ before, after }: PlannedChange): JsonObject[] {
  const [from, to] = [objectOf(before as Json), objectOf(after as Json)];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter(
    (name) => (from[name] ?? to[name] ?? null) !== null,
  );
  return names.map((name) => ({
    path: name,
    before: from[name] ?? null,
    after: to[name] ?? null,
    sensitive: false,
    unknown: false,
  }));
}

function describeAttribute({ path, before, after, isSensitive, isUnknown, isComputed = false }: ChangedAttribute): JsonObject {
  return {
    path: renderPath(path),
    before: isSensitive ? null : (before as Json),
    after: isSensitive ? null : (after as Json),
    sensitive: isSensitive,
    unknown: isUnknown,
    ...(isComputed ? { computed: true } : {}),
  };
}
