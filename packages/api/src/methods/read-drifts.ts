import type { Json, Method } from "@cloudwright/contract";
import { listDrifts } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { authorise, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { renderDrift } from "../drifts/render-drift.ts";
import { requireDrift } from "../drifts/require-drift.ts";
import { pageByUid } from "../paging/page-by-uid.ts";
import type { PlacedRef } from "../entities/require-placed.ts";
import { requireProject } from "./list-entities.ts";

/** The filters for listing drift reports. */
interface DriftsInput {
  readonly project: string;
  readonly entity: Json;
  readonly all?: boolean;
  readonly pageSize: number;
  readonly pageToken: string;
  readonly maxPageBytes?: number | undefined;
}

/** Lists one page of a project's drift reports, newest first. Reports in environments that the caller cannot access are excluded. */
export async function listDriftsMethod(deps: ApiDeps, call: Call, method: Method, input: DriftsInput): Promise<Answer> {
  const reach = authorise(call, method, input.project);
  await requireProject(deps, call, input);
  const { project, all = false } = input;
  const environments = reach.all ? undefined : reach.environments;
  return pageByUid("Drift", { ...input, filters: [String(all)] }, renderDrift, (page) =>
    listDrifts(deps.pool, { ...page, project, environments, all }),
  );
}

export async function getDriftMethod(deps: ApiDeps, call: Call, method: Method, input: PlacedRef): Promise<Answer> {
  return { body: JSON.stringify(renderDrift(await requireDrift(deps, call, method, input))) };
}
