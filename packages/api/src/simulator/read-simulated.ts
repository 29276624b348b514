import type { Method } from "@cloudwright/contract";
import { Fault, isUid } from "@cloudwright/platform";
import { findSimulatedRecord, listSimulatedFaults, listSimulatedRecords } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { parsePageToken, renderPageToken } from "../paging/page-token.ts";
import { notFound } from "../entities/target.ts";
import { renderCloud, renderFault, renderPage, renderRecord } from "./render-simulated.ts";
import { requireSimulated, type AccountRef } from "./require-simulated.ts";

const defaultPageSize = 100;

interface PageInput extends AccountRef {
  readonly pageSize?: number;
  readonly pageToken?: string;
  readonly maxPageBytes?: number | undefined;
}

/** Identifies a resource in an account's simulated cloud. */
export interface RecordRef extends AccountRef {
  readonly type: string;
  readonly id: string;
}

/** Returns the settings and resource counts of a simulated cloud. */
export async function getCloud(deps: ApiDeps, call: Call, method: Method, input: AccountRef): Promise<Answer> {
  return renderCloud(deps, await requireSimulated(deps, call, method, input));
}

export async function listRecords(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: PageInput & { readonly type?: string; readonly entityUid?: string },
): Promise<Answer> {
  const { uid: accountUid } = await requireSimulated(deps, call, method, input);
  const { type = "", entityUid = "", pageToken = "" } = input;
  if (entityUid !== "" && !isUid(entityUid)) throw invalid("the request", [{ field: "entityUid", message: "must be a uid" }]);
  const question = JSON.stringify(["SimulatedRecord", accountUid, type, entityUid]);
  const token = parsePageToken(question, pageToken);
  if (token !== undefined && `${token.value}${token.uid}`.includes("\u0000")) throw badPage();
  const after = token && { type: token.value, id: token.uid };
  const size = input.pageSize || defaultPageSize;
  const filters = { accountUid, type: type || undefined, entityUid: entityUid || undefined };
  const rows = await listSimulatedRecords(deps.pool, { ...filters, after, limit: size + 1, maxBytes: input.maxPageBytes });
  const page = rows.slice(0, size);
  const last = (rows[0]?.found ?? 0) > page.length ? page.at(-1) : undefined;
  const next = last === undefined ? "" : renderPageToken(question, { value: last.type, uid: last.id });
  return renderPage(page.map(renderRecord), next);
}

export async function getRecord(deps: ApiDeps, call: Call, method: Method, input: RecordRef): Promise<Answer> {
  const { uid: accountUid } = await requireSimulated(deps, call, method, input);
  const row = await findSimulatedRecord(deps.pool, { accountUid, type: input.type, id: input.id });
  if (row === undefined) throw noRecord(input);
  return { body: JSON.stringify(renderRecord(row)) };
}

export async function listFaults(deps: ApiDeps, call: Call, method: Method, input: PageInput): Promise<Answer> {
  const { uid: accountUid } = await requireSimulated(deps, call, method, input);
  const question = JSON.stringify(["SimulatedFault", accountUid]);
  const after = parsePageToken(question, input.pageToken ?? "")?.uid;
  if (after !== undefined && !/^\d{1,18}$/.test(after)) throw badPage();
  const size = input.pageSize || defaultPageSize;
  const rows = await listSimulatedFaults(deps.pool, { accountUid, after, limit: size + 1 });
  const last = rows.length > size ? rows[size - 1] : undefined;
  const next = last === undefined ? "" : renderPageToken(question, { value: "", uid: last.position });
  return renderPage(rows.slice(0, size).map(renderFault), next);
}

export function noRecord({ type, id }: Pick<RecordRef, "type" | "id">): Fault {
  return notFound("SimulatedRecord", `${type}/${id}`);
}

function badPage(): Fault {
  return new Fault(apiFaults.bad_page_token, "pageToken does not belong to this list");
}
