import { hasAction, type Json, type JsonObject } from "@cloudwright/contract";
import { isObject } from "@cloudwright/platform";
import { reconcilerFaults } from "../faults.ts";
import type { DriftFound, DriftWish } from "./decision.ts";
import type { Scope, ScopeTask } from "./scope.ts";

/** Opens, updates or closes the drift report after a drift check. Returns undefined if the report stays unchanged. */
export function decideDrift(scope: Scope, look: ScopeTask | undefined, newUid: () => string): DriftWish | undefined {
  const { drift } = scope;
  const corrected = endCorrected(scope);
  if (corrected !== undefined) return corrected;
  if (look?.endedAtMs == null || look.outcome?.state !== "done") return undefined;
  const found = readFound(look.outcome.result);
  const open = drift?.endedAtMs === null ? drift : undefined;
  if (found === undefined)
    return open !== undefined && open.foundAtMs < look.endedAtMs
      ? { do: "end", uid: open.uid, as: open.isKept === true ? "kept" : "gone" }
      : undefined;
  if (open === undefined) return isNews(drift, look) ? { do: "open", uid: newUid(), taskUid: look.uid, ...found } : undefined;
  const same = open.ignored === found.ignored && JSON.stringify(open.items) === JSON.stringify(found.items);
  return same ? undefined : { do: "change", uid: open.uid, ...found };
}

/**
 * Returns whether a check can open a new report. A check that started before the last report was closed cannot, because it found the same
 * drift. If the user accepted that drift, the check must also have been requested after the acceptance, because earlier checks ran without
 * the new ignore rules.
 */
function isNews(last: Scope["drift"], { createdAtMs, startedAtMs }: ScopeTask): boolean {
  const knewMs = last?.endedAs === "accepted" ? createdAtMs : (startedAtMs ?? createdAtMs);
  return knewMs > (last?.endedAtMs ?? 0);
}

/**
 * Closes an open drift report if an apply has succeeded since the drift was found. The apply kept external changes to attributes that the
 * configuration does not set. Later checks cannot find these changes, because the state then contains the new values.
 */
export function endCorrected({ drift, tasks, plan }: Scope): DriftWish | undefined {
  if (drift?.endedAtMs !== null) return undefined;
  const built = tasks.findLast(({ type, state }) => hasAction(type, "apply") && state === "done");
  if ((built?.endedAtMs ?? 0) <= drift.foundAtMs) return undefined;
  const isKept = plan?.takenBy === built?.uid && (plan?.counts["kept"] ?? 0) > 0;
  return { do: "end", uid: drift.uid, as: isKept || drift.isKept === true ? "kept" : "corrected" };
}

/**
 * Opens a drift report for external changes that the last apply found and kept because the configuration does not set the changed
 * attributes. No check has reported these changes, and no later check can find them, because the state now contains the new values.
 */
export function openKept({ entity, drift, tasks, plan }: Scope, newUid: () => string): DriftWish | undefined {
  const built = tasks.findLast(({ type, state }) => hasAction(type, "apply") && state === "done");
  if (built === undefined || plan?.takenBy !== built.uid || isCorrecting(entity)) return undefined;
  if (drift?.endedAtMs === null || drift?.taskUid === built.uid) return undefined;
  const items = (plan.drift ?? []).flatMap(readKept);
  return items.length === 0 ? undefined : { do: "open", uid: newUid(), taskUid: built.uid, items, ignored: 0 };
}

/**
 * Converts a drifted resource in a plan to an item of a drift report. Includes only the attributes whose changes the plan keeps. Returns an
 * empty list if the plan keeps none of them.
 */
function readKept(found: Json): Json[] {
  const { keptPaths, attributes, ...rest } = (found ?? {}) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(keptPaths) || keptPaths.length === 0) return [];
  const wanted = new Set<unknown>(keptPaths);
  const kept = Array.isArray(attributes)
    ? (attributes as readonly unknown[]).filter((each) => isSingle(each) && wanted.has(each.path))
    : [];
  return readItem({ ...rest, action: "update", paths: keptPaths, attributes: kept });
}

/** Returns whether an entry describes a single attribute. An entry that stands for several attributes has no values to report. */
function isSingle(entry: unknown): entry is { readonly path?: unknown } {
  return isObject(entry) && entry["members"] === undefined;
}

function isCorrecting(entity: Scope["entity"]): boolean {
  return ((entity.object.spec["infra"] ?? {}) as { drift?: unknown }).drift === "correct";
}

/**
 * Returns whether the platform should correct the drift itself. The platform tries once per report and applies the whole spec. After a user
 * has discarded or cancelled the last change, only a user can start another one.
 */
export function isCorrectable({ entity, drift, operation }: Scope): boolean {
  if (!isCorrecting(entity) || drift?.endedAtMs !== null || operation === undefined) return false;
  const { metadata, status } = operation.object;
  if (status.state === "CANCELLED" || status["code"] === reconcilerFaults.run_discarded.code) return false;
  return Date.parse(metadata.createdAt ?? "") < drift.foundAtMs;
}

/** Reads the drift from a task's result. Returns undefined if there is none. */
function readFound(result: unknown): DriftFound | undefined {
  const { drifted, items, ignored } = (result ?? {}) as { drifted?: unknown; items?: unknown; ignored?: unknown };
  if (drifted !== true) return undefined;
  return {
    items: Array.isArray(items) ? items.flatMap(readItem) : [],
    ignored: Number.isInteger(ignored) ? (ignored as number) : 0,
  };
}

/** Drops malformed items. Plug-ins may report anything, and one malformed item would make all of the project's drift reports unreadable. */
function readItem(item: unknown): Json[] {
  if (typeof item !== "object" || item === null) return [];
  const { address, resourceType, action, paths, attributes, ...rest } = item as Readonly<Record<string, unknown>>;
  if (typeof address !== "string" || address === "") return [];
  return [
    {
      address,
      resourceType: typeof resourceType === "string" ? resourceType : "",
      action: action === "delete" ? "delete" : "update",
      paths: Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [],
      ...(Array.isArray(attributes) ? { attributes: attributes.flatMap(readAttribute) } : {}),
      ...readAuthor(rest),
    },
  ];
}

function readAttribute(attribute: unknown): JsonObject[] {
  if (typeof attribute !== "object" || attribute === null) return [];
  const { path, before = null, after = null, sensitive } = attribute as Readonly<Record<string, Json>>;
  if (typeof path !== "string" || path === "") return [];
  return sensitive === true ? [{ path, before: null, after: null, sensitive }] : [{ path, before, after, sensitive: false }];
}

function readAuthor({ author, authorAction, changedAt }: Readonly<Record<string, unknown>>): JsonObject {
  if (typeof author !== "string" || author === "") return {};
  const isTime = typeof changedAt === "string" && !Number.isNaN(Date.parse(changedAt));
  return {
    author,
    ...(typeof authorAction === "string" ? { authorAction } : {}),
    ...(isTime ? { changedAt: new Date(changedAt).toISOString() } : {}),
  };
}
