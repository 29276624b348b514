import { countMembers, type EntityRow } from "@cloudwright/store";
import type { Method } from "@cloudwright/contract";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/caller.ts";
import type { ApiDeps } from "../deps.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";

export interface EntityRef {
  readonly project: string;
  readonly parent: string;
  /** Name or uid. */
  readonly name: string;
}

/** Gets one entity by name or uid. */
export async function getEntity(deps: ApiDeps, call: Call, method: Method, input: EntityRef): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, input);
  const row = await requireEntity(deps, call, target, input.name);
  const body = row.kind === "Environment" ? await withMembers(deps, row) : row.object;
  return { body, version: row.resource_version };
}

async function withMembers(deps: ApiDeps, row: EntityRow): Promise<string> {
  const members = await countMembers(deps.pool, [row.uid]);
  const entity = parseEntity(row.object);
  entity.status["members"] = members.map(({ kind, phase, count }) => ({ kind, phase, count }));
  return JSON.stringify(entity);
}
