import { hasAction, type Json } from "@cloudwright/contract";
import { reconcilerFaults } from "../faults.ts";
import type { DriftFound, DriftWish } from "./decision.ts";
import type { Scope, ScopeTask } from "./scope.ts";

/** Decides about the drift report after the last search for drift. Returns undefined if it stays unchanged. */
export function decideDrift(scope: Scope, look: ScopeTask | undefined, newUid: () => string): DriftWish | undefined {
  const { drift } = scope;
  const corrected = endCorrected(scope);
  if (corrected !== undefined) return corrected;
  if (look?.endedAtMs == null || look.outcome?.state !== "done") return undefined;
  const found = readFound(look.outcome.result);
  const open = drift?.endedAtMs === null ? drift : undefined;
  if (found === undefined)
    return open !== undefined && open.foundAtMs < look.endedAtMs ? { do: "end", uid: open.uid, as: "gone" } : undefined;
  // Drift that was found before the last report ended belongs to that report.
  if (open === undefined)
    return look.endedAtMs > (drift?.endedAtMs ?? 0) ? { do: "open", uid: newUid(), taskUid: look.uid, ...found } : undefined;
  const same = open.ignored === found.ignored && JSON.stringify(open.items) === JSON.stringify(found.items);
  return same ? undefined : { do: "change", uid: open.uid, ...found };
}

/** Ends an open report if a run has succeeded since it was written. */
export function endCorrected({ drift, tasks }: Scope): DriftWish | undefined {
  if (drift?.endedAtMs !== null) return undefined;
  const built = tasks.findLast(({ type, state }) => hasAction(type, "apply") && state === "done");
  return (built?.endedAtMs ?? 0) > drift.foundAtMs ? { do: "end", uid: drift.uid, as: "corrected" } : undefined;
}

/**
 * Returns whether the platform corrects the drift itself, which it tries once per report. A correction applies the whole spec. If a person discarded or
 * cancelled the last change, a person must start it again.
 */
export function isCorrectable({ entity, drift, operation }: Scope): boolean {
  const { drift: policy } = (entity.object.spec["infra"] ?? {}) as { drift?: unknown };
  if (policy !== "correct" || drift?.endedAtMs !== null || operation === undefined) return false;
  const { metadata, status } = operation.object;
  if (status.state === "CANCELLED" || status["code"] === reconcilerFaults.run_discarded.code) return false;
  return Date.parse(metadata.createdAt ?? "") < drift.foundAtMs;
}

/** Returns the drift in the outputs of a task. Returns undefined if there is none. */
function readFound(result: unknown): DriftFound | undefined {
  const { drifted, items, ignored } = (result ?? {}) as { drifted?: unknown; items?: unknown; ignored?: unknown };
  if (drifted !== true) return undefined;
  return {
    items: Array.isArray(items) ? items.flatMap(readItem) : [],
    ignored: Number.isInteger(ignored) ? (ignored as number) : 0,
  };
}

/** Drops malformed items. A plug-in may report anything, and one malformed item would make all reports of its project unreadable. */
function readItem(item: unknown): Json[] {
  if (typeof item !== "object" || item === null) return [];
  const { address, resourceType, action, paths } = item as Readonly<Record<string, unknown>>;
  if (typeof address !== "string" || address === "") return [];
  return [
    {
      address,
      resourceType: typeof resourceType === "string" ? resourceType : "",
      action: action === "delete" ? "delete" : "update",
      paths: Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [],
    },
  ];
}
