import type { Method } from "@cloudwright/contract";
import { isUid, Fault } from "@cloudwright/platform";
import { listRecords, recordColumns } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { authorise, denied, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { namedFields, parseFilter } from "../paging/filter.ts";
import { countFitting } from "../paging/fit-page.ts";
import { parsePageToken, renderPageToken } from "../paging/page-token.ts";
import { requireProject, type ListInput } from "./list-entities.ts";

const tables = { Event: "event", AuditRecord: "audit" } as const;

export async function listRecordsMethod(deps: ApiDeps, call: Call, method: Method, input: ListInput): Promise<Answer> {
  const reach = authorise(call, method, input.project);
  // Records are not stored per environment, so reading them requires a role in the whole project.
  if (!reach.all) throw denied(method, `in the entire project "${input.project}"`);
  await requireProject(deps, call, input);
  for (const field of ["parent", "labelSelector", "orderBy"] as const) {
    if (input[field] !== "") throw invalid("the request", [{ field, message: "does not apply to records" }]);
  }
  const table = tables[method.kind as keyof typeof tables];
  const columns: Readonly<Record<string, string>> = recordColumns[table];
  const comparisons = parseFilter(input.filter, namedFields(Object.keys(columns)));
  const question = JSON.stringify([table, input.project, input.filter]);
  const after = parsePageToken(question, input.pageToken);
  if (after !== undefined && !isUid(after.uid))
    throw new Fault(apiFaults.bad_page_token, "pageToken does not belong to this list");
  const size = input.pageSize || 100;
  const rows = await listRecords(deps.pool, {
    table,
    project: input.project,
    fields: comparisons.map(({ path, equal, value }) => ({ column: columns[path[0] ?? ""] ?? "", equal, value })),
    limit: size + 1,
    after: after?.uid,
  });
  const fitting = countFitting(
    rows.slice(0, size).map((row) => row.object),
    input.maxPageBytes,
  );
  const page = rows.slice(0, fitting);
  const last = rows.length > fitting ? page.at(-1) : undefined;
  const next = last === undefined ? "" : renderPageToken(question, { value: "", uid: last.uid });
  return { body: `{"items":[${page.map((row) => row.object).join(",")}],"nextPageToken":"${next}"}` };
}
