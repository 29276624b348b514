import type { Json, JsonObject } from "@cloudwright/contract";
import { Fault, isUid } from "@cloudwright/platform";
import type { Answer } from "../calls/answer.ts";
import { invalid } from "../calls/decode.ts";
import { apiFaults } from "../faults.ts";
import { countFitting } from "./fit-page.ts";
import { parsePageToken, renderPageToken } from "./page-token.ts";

const defaultPageSize = 100;

/** A request to list records that belong to entities, such as runs. */
export interface PageInput {
  readonly project: string;
  /** The uid of an entity. If empty, the records of all entities are listed. */
  readonly entity: Json;
  readonly pageSize: number;
  readonly pageToken: string;
  /** All other filters of the list. A page token is valid only for the same filters. */
  readonly filters: readonly string[];
  readonly maxPageBytes?: number | undefined;
}

/** Lists one page of records, newest first. Reads one extra row to determine whether there is another page. */
export async function pageByUid<Row extends { readonly uid: string }>(
  kind: string,
  { project, entity, pageSize, pageToken, filters, maxPageBytes }: PageInput,
  render: (row: Row) => JsonObject,
  list: (page: { entityUid: string | undefined; after: string | undefined; limit: number }) => Promise<Row[]>,
): Promise<Answer> {
  const entityUid = typeof entity === "string" && entity !== "" ? entity : undefined;
  if (entityUid !== undefined && !isUid(entityUid)) throw invalid("the request", [{ field: "entity", message: "must be a uid" }]);
  const question = JSON.stringify([kind, project, entityUid ?? "", ...filters]);
  const after = parsePageToken(question, pageToken)?.uid;
  if (after !== undefined && !isUid(after)) throw new Fault(apiFaults.bad_page_token, "pageToken does not belong to this list");
  const size = pageSize || defaultPageSize;
  const rows = await list({ entityUid, after, limit: size + 1 });
  const items = rows.slice(0, size).map((row) => JSON.stringify(render(row)));
  const count = countFitting(items, maxPageBytes);
  const last = rows.length > count ? rows[count - 1] : undefined;
  const nextPageToken = last === undefined ? "" : renderPageToken(question, { value: "", uid: last.uid });
  return { body: `{"items":[${items.slice(0, count).join(",")}],"nextPageToken":${JSON.stringify(nextPageToken)}}` };
}
