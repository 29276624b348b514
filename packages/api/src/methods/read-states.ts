import type { JsonObject, Method } from "@cloudwright/contract";
import { Fault, isUid } from "@cloudwright/platform";
import { insertAudit, listStates, listStateVersions } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { authorise, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { parsePageToken, renderPageToken } from "../paging/page-token.ts";
import { renderState, renderVersion } from "../states/render-state.ts";
import { requireState, requireVersion, type StateRef } from "../states/require-state.ts";
import { openContent } from "../states/state-content.ts";
import { notFound } from "../entities/target.ts";
import { auditOf } from "../calls/trace-call.ts";
import { requireProject, type ListInput } from "./list-entities.ts";

const defaultPageSize = 100;

/** Lists one page of a project's states. States in environments that the caller cannot access are excluded. */
export async function listStatesMethod(deps: ApiDeps, call: Call, method: Method, input: ListInput): Promise<Answer> {
  const reach = authorise(call, method, input.project);
  await requireProject(deps, call, input);
  for (const field of ["parent", "labelSelector", "orderBy", "filter"] as const) {
    if (input[field] !== "") throw invalid("the request", [{ field, message: "does not apply to states" }]);
  }
  const question = JSON.stringify(["State", input.project]);
  const after = parsePageToken(question, input.pageToken)?.uid;
  if (after !== undefined && !isUid(after)) throw badPage();
  const environments = reach.all ? undefined : reach.environments;
  const size = input.pageSize || defaultPageSize;
  const rows = await listStates(deps.pool, { project: input.project, environments, after, limit: size + 1 });
  return renderPage(question, rows.slice(0, size).map(renderState), rows.length > size ? rows[size - 1]?.entityUid : undefined);
}

/** Returns a state's metadata without its contents. */
export async function getStateMethod(deps: ApiDeps, call: Call, method: Method, input: StateRef): Promise<Answer> {
  return { body: JSON.stringify(renderState(await requireState(deps, call, method, input))) };
}

/** Lists one page of a state's versions, newest first. */
export async function listVersions(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: StateRef & { readonly pageSize: number; readonly pageToken: string },
): Promise<Answer> {
  const { entityUid } = await requireState(deps, call, method, input);
  const question = JSON.stringify(["StateVersion", input.project, entityUid]);
  const token = parsePageToken(question, input.pageToken)?.uid;
  if (token !== undefined && !/^\d{1,9}$/.test(token)) throw badPage();
  const size = input.pageSize || defaultPageSize;
  const before = token === undefined ? undefined : Number(token);
  const rows = await listStateVersions(deps.pool, { entityUid, before, limit: size + 1 });
  const last = rows.length > size ? rows[size - 1] : undefined;
  return renderPage(question, rows.slice(0, size).map(renderVersion), last && String(last.version));
}

function renderPage(question: string, items: readonly JsonObject[], last: string | undefined): Answer {
  const nextPageToken = last === undefined ? "" : renderPageToken(question, { value: "", uid: last });
  return { body: JSON.stringify({ items, nextPageToken }) };
}

function badPage(): Fault {
  return new Fault(apiFaults.bad_page_token, "pageToken does not belong to this list");
}

/** Returns the contents of a version. The access is audited, because states contain secrets. */
export async function getStateContent(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: StateRef & { readonly version?: number },
): Promise<Answer> {
  const state = await requireState(deps, call, method, input);
  const row = await requireVersion(deps, state, input.version ?? 0);
  const content = await openContent(deps.keyRing, row);
  if (content === undefined) throw notFound("StateContent", String(row.version));
  const target = { project: state.project, name: state.name, uid: state.entityUid };
  await insertAudit(deps.pool, auditOf(deps, call, method, target, "allowed", ""));
  return {
    body: `{"version":${JSON.stringify(renderVersion(row))},"content":${await deps.documents.renderText(state.project, content)}}`,
  };
}

/**
 * Compares two versions and lists the differences by resource address. The first version is compared with an empty state. Versions that
 * mark a deletion are treated as empty.
 */
export async function getStateDiff(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: StateRef & { readonly from?: number; readonly to?: number },
): Promise<Answer> {
  const state = await requireState(deps, call, method, input);
  const to = await requireVersion(deps, state, input.to ?? 0);
  const from = input.from || to.version - 1;
  const before = from === 0 ? undefined : await requireVersion(deps, state, from);
  const difference = await deps.documents.renderDifference(
    state.project,
    before && (await openContent(deps.keyRing, before)),
    await openContent(deps.keyRing, to),
  );
  const versions = { ...(before === undefined ? {} : { from: renderVersion(before) }), to: renderVersion(to) };
  return { body: `${JSON.stringify(versions).slice(0, -1)},${difference.slice(1)}` };
}
