import type { JsonObject, Method } from "@cloudwright/contract";
import { listBackends, listBackendUses, type BackendUseRow } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { authorise, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { judgeUse, readBackend, type ListedBackend } from "../entities/state-backend.ts";
import { pageByUid } from "../paging/page-by-uid.ts";

/**
 * Lists the entities in all projects that store their state outside the platform, and shows for each entity whether a backend allows this.
 */
export async function listBackendUsesMethod(
  deps: ApiDeps,
  call: Call,
  method: Method,
  { pageSize, pageToken }: { readonly pageSize: number; readonly pageToken: string },
): Promise<Answer> {
  authorise(call, method, "");
  const backends = (await listBackends(deps.pool)).map(readBackend);
  const page = { project: "", entity: null, pageSize, pageToken, filters: [] };
  return pageByUid(
    "BackendUse",
    page,
    (row: BackendUseRow) => renderUse(backends, row),
    ({ after, limit }) => listBackendUses(deps.pool, { after, limit }),
  );
}

function renderUse(backends: readonly ListedBackend[], { project, kind, name, uid, backend: stored }: BackendUseRow): JsonObject {
  const use = judgeUse(backends, { project, kind, uid }, stored);
  const entity = { project, kind, name, uid };
  if (use === undefined) return entity;
  const { given, backend, location, problem, message } = use;
  const settings = Object.fromEntries(Object.entries(given.settings).filter(([setting]) => setting !== use.locationSetting));
  return { ...entity, backend: backend?.name ?? given.name, type: given.type, settings, location, problem, message };
}
