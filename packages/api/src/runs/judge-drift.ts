import type { JsonObject } from "@cloudwright/contract";
import { findDriftContext, type DriftItemRow } from "@cloudwright/store";
import type { ApiDeps } from "../deps.ts";
import type { JudgedFinding } from "../entities/judge.ts";
import { isObject, textAt } from "../entities/json-tree.ts";
import { countKept } from "./count-kept.ts";
import { findOverwritten, isOverlapping, listKeptPaths, type Overwritten } from "./find-overwritten.ts";
import type { SentPlan } from "./parse-plan.ts";

/** The drift that a plan found, with the external changes that the plan would undo and the findings that require approval. */
export interface JudgedDrift {
  readonly drift: readonly JsonObject[];
  /**
   * `kept` counts the reported resources with external changes that the plan would not undo, because the configuration does not set the
   * changed attributes.
   */
  readonly counts: { readonly drifted: number; readonly overwritten: number; readonly kept: number };
  readonly findings: readonly JudgedFinding[];
}

/**
 * Marks the external changes that a plan would undo. Unless the entity's policy is `correct`, or a user has requested the correction of
 * exactly these changes, each drifted resource becomes a finding that requires approval. A request that allows replacements also covers
 * external changes to the replaced resources.
 */
export async function judgeDrift(
  { pool }: Pick<ApiDeps, "pool">,
  taskUid: string,
  spec: JsonObject,
  { drift, changes }: Pick<SentPlan, "drift" | "changes">,
  allow: readonly string[],
): Promise<JudgedDrift> {
  const isTouched = findOverwritten(drift, changes).length > 0;
  const context = drift.length > 0 ? await findDriftContext(pool, taskUid) : undefined;
  const unfinished = (context?.unfinished ?? []).flat().filter((change) => isObject(change as JsonObject)) as JsonObject[];
  const overwritten = isTouched ? findOverwritten(drift, changes, unfinished) : [];
  const reported = context?.verb === "correct" ? (context.reported ?? []) : [];
  const isFree = textAt(spec, "infra", "drift") === "correct";
  const isReplaced = ({ address }: Overwritten): boolean =>
    changes.some((change) => change["address"] === address && change["action"] === "replace");
  const isAllowed = (each: Overwritten): boolean => allow.includes("replace") && isReplaced(each);
  const silent = isFree ? [] : overwritten.filter((each) => !isAllowed(each) && !isRequested(each, reported));
  return {
    drift: drift.map((found) => {
      const paths = overwritten.find(({ address }) => address === found["address"])?.paths ?? [];
      return { ...found, overwrittenPaths: [...paths], keptPaths: listKeptPaths(found, changes, unfinished, paths) };
    }),
    counts: { drifted: drift.length, overwritten: overwritten.length, kept: countKept(drift, changes, context?.reported ?? []) },
    findings: silent.map(describe),
  };
}

function isRequested({ address, paths }: Overwritten, reported: readonly DriftItemRow[]): boolean {
  const item = reported.find((each) => each.address === address);
  if (item === undefined) return false;
  return item.action === "delete" || paths.every((path) => item.paths.some((known) => isOverlapping(path, known)));
}

const named = 3;

function describe({ address, paths }: Overwritten): JudgedFinding {
  const more = paths.length > named ? ` and ${paths.length - named} more` : "";
  const what = paths.includes("*")
    ? "recreates a resource that was deleted outside the platform"
    : `undoes a change made outside the platform: ${paths.slice(0, named).join(", ")}${more}`;
  return {
    rule: "drift-needs-approval",
    severity: "must",
    message: what,
    path: address,
    fix: "Approve the run to undo the change. To keep the change, discard the run, then run `cloud drift check` and `cloud drift accept`.",
  };
}
