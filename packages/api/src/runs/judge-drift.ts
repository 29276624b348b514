import type { JsonObject } from "@cloudwright/contract";
import { findDriftContext } from "@cloudwright/store";
import type { ApiDeps } from "../deps.ts";
import type { JudgedFinding } from "../entities/judge.ts";
import { isObject, textAt } from "../entities/json-tree.ts";
import { countKept } from "./count-kept.ts";
import { findOverwritten, listUndone, type Overwritten } from "./find-overwritten.ts";
import { indexPlan, type PlanIndex } from "./index-plan.ts";
import { indexReported } from "./index-reported.ts";
import { listKeptPaths } from "./list-kept-paths.ts";
import type { SentPlan } from "./parse-plan.ts";
import { createWork } from "./work.ts";

/** The drift that a plan found, with the external changes that the plan would undo and the findings that require approval. */
export interface JudgedDrift {
  /** The drift as JSON text. */
  readonly driftText: string;
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
  const work = createWork();
  const context = drift.length > 0 ? await findDriftContext(pool, taskUid) : undefined;
  const unfinished = (context?.unfinished ?? []).flat().filter((change) => isObject(change as JsonObject)) as JsonObject[];
  const plan = indexPlan(changes, unfinished, work);
  const overwritten = await findOverwritten(drift, plan);
  const isRequested = indexReported(context?.verb === "correct" ? (context.reported ?? []) : [], work);
  const isFree = textAt(spec, "infra", "drift") === "correct";
  const replaced = new Set(changes.filter(({ action }) => action === "replace").map(({ address }) => address));
  const isAllowed = ({ address }: Overwritten): boolean => allow.includes("replace") && replaced.has(address);
  const silent: Overwritten[] = [];
  for (const each of isFree ? [] : overwritten) {
    if (!isAllowed(each) && !isRequested(each)) silent.push(each);
    await work.rest();
  }
  const kept = await countKept(drift, indexPlan(changes, [], work), context?.reported ?? []);
  return {
    driftText: await renderDrift(drift, plan),
    counts: { drifted: drift.length, overwritten: overwritten.length, kept },
    findings: silent.map(describe),
  };
}

/** Renders the drift with the paths that the plan undoes and keeps. */
async function renderDrift(drift: readonly JsonObject[], plan: PlanIndex): Promise<string> {
  const marked: string[] = [];
  for (const found of drift) {
    const overwrittenPaths = listUndone(found, plan);
    marked.push(JSON.stringify({ ...found, overwrittenPaths, keptPaths: listKeptPaths(found, plan, overwrittenPaths) }));
    await plan.work.rest();
  }
  return `[${marked.join(",")}]`;
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
