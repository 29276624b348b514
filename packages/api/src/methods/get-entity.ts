import type { Method } from "@cloudwright/contract";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { rulesOf } from "../kinds/rules.ts";

export interface EntityRef {
  readonly project: string;
  readonly parent: string;
  /** Name or uid of the entity. */
  readonly name: string;
}

export async function getEntity(deps: ApiDeps, call: Call, method: Method, input: EntityRef): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, input);
  const row = await requireEntity(deps, call, target, input.name);
  const [body = row.object] = (await rulesOf(row.kind).renderRows?.(deps, [row])) ?? [];
  return { body, version: row.resource_version };
}
