import type { Json, JsonObject, Method } from "@cloudwright/contract";
import { findPlanChanges, listRuns, runStates, type RunRow } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { authorise, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { pageByUid } from "../paging/page-by-uid.ts";
import type { PlacedRef } from "../entities/require-placed.ts";
import { describeRemoval } from "../runs/describe-removal.ts";
import { renderRun } from "../runs/render-run.ts";
import { requireRun } from "../runs/require-run.ts";
import { requireProject } from "./list-entities.ts";

/** The filters for listing runs. */
interface RunsInput {
  readonly project: string;
  readonly entity: Json;
  readonly state?: string;
  readonly pageSize: number;
  readonly pageToken: string;
  readonly maxPageBytes?: number | undefined;
}

/** Lists one page of a project's runs, newest first. Runs in environments that the caller cannot access are excluded. */
export async function listRunsMethod(deps: ApiDeps, call: Call, method: Method, input: RunsInput): Promise<Answer> {
  const reach = authorise(call, method, input.project);
  await requireProject(deps, call, input);
  const { project, entity, state = "" } = input;
  if (state !== "" && !runStates.some((known) => known === state))
    throw invalid("the request", [{ field: "state", message: `must be one of ${runStates.join(", ")}` }]);
  return pageByUid("Run", { ...input, entity, filters: [state] }, renderRun, (page) =>
    listRuns(deps.pool, {
      ...page,
      project,
      environments: reach.all ? undefined : reach.environments,
      state: state || undefined,
    }),
  );
}

export async function getRunMethod(deps: ApiDeps, call: Call, method: Method, input: PlacedRef): Promise<Answer> {
  const run = await requireRun(deps, call, method, input);
  return { body: JSON.stringify(run.purpose === "destroy" ? withCounts(run, await describeRemoval(deps, run)) : renderRun(run)) };
}

/**
 * Renders a deletion run with the number of resources that it removes. The number comes from the state, because deletions do not store a
 * plan.
 */
function withCounts(run: RunRow, { changes }: JsonObject): JsonObject {
  return Array.isArray(changes) ? { ...renderRun(run), counts: { delete: changes.length } } : renderRun(run);
}

/**
 * Returns a run's planned changes, resource by resource. The list is empty if no plan was stored. Deletions never store a plan, so for a
 * deletion the changes are derived from the resources in the state.
 */
export async function getRunPlan(deps: ApiDeps, call: Call, method: Method, input: PlacedRef): Promise<Answer> {
  const run = await requireRun(deps, call, method, input);
  const kept = run.purpose === "destroy" ? undefined : await findPlanChanges(deps.pool, run.uid);
  const found = run.purpose === "destroy" ? await describeRemoval(deps, run) : {};
  const head = { run: withCounts(run, found), changes: [], drift: [], dependencies: [] };
  if (kept === undefined) return { body: JSON.stringify({ ...head, ...found }) };
  return { body: await deps.documents.mergeText(run.project, head, kept) };
}
