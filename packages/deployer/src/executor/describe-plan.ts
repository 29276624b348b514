import { objectOf } from "@cloudwright/platform";
import type { ChangedPath, ResourceChange, ResourceDependency, TerraformPlan } from "@cloudwright/terraform";
import type { Json, JsonObject } from "../task.ts";
import { renderPath } from "./render-path.ts";

/** What a plan does, by number of resources. */
export type PlanCounts = { create: number; update: number; replace: number; delete: number; import: number };

/** A plan for people and policies: sensitive values are nowhere in it. */
export interface DescribedPlan {
  readonly counts: PlanCounts;
  readonly changes: readonly JsonObject[];
  readonly drift: readonly JsonObject[];
  /** Who needs whom, by addresses alone. */
  readonly dependencies: readonly ResourceDependency[];
}

/** Describes what a plan does, resource by resource. */
export function describePlan({
  changes,
  drift,
  dependencies,
}: Pick<TerraformPlan, "changes" | "drift" | "dependencies">): DescribedPlan {
  const done = changes.filter(({ action, importId }) => action !== "none" || importId !== undefined);
  return {
    counts: countChanges(done),
    changes: done.map((change) => ({
      ...describeChange(change),
      values: { before: change.before as Json, after: change.after as Json },
    })),
    drift: drift.map(describeChange),
    dependencies,
  };
}

function countChanges(changes: readonly ResourceChange[]): PlanCounts {
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

function describeChange(change: ResourceChange): JsonObject {
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

/** What comes or goes as a whole, attribute by attribute; what is sensitive or not known yet is not among them. */
function describeWhole({ before, after }: ResourceChange): JsonObject[] {
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

function describeAttribute({ path, before, after, isSensitive, isUnknown }: ChangedPath): JsonObject {
  return {
    path: renderPath(path),
    before: isSensitive ? null : (before as Json),
    after: isSensitive ? null : (after as Json),
    sensitive: isSensitive,
    unknown: isUnknown,
  };
}
