import type { Method } from "@cloudwright/contract";
import { Fault, isUid } from "@cloudwright/platform";
import { findEntity } from "@cloudwright/store";
import { findTask, indexedColumns, listTasks, readLog, readTaskUid, taskColumns } from "@cloudwright/tasks";
import type { Answer } from "../calls/answer.ts";
import { authorise, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { namedFields, parseFilter, type FieldComparison } from "../paging/filter.ts";
import { countFitting } from "../paging/fit-page.ts";
import { parsePageToken, renderPageToken } from "../paging/page-token.ts";
import { notFound } from "../entities/target.ts";
import type { EntityRef } from "./get-entity.ts";
import { requireProject, type ListInput } from "./list-entities.ts";

const columns: Readonly<Record<string, string>> = taskColumns;
const defaultPageSize = 100;

/** Lists one page of tasks, newest first. Tasks in environments that the caller cannot access are excluded. */
export async function listTasksMethod(deps: ApiDeps, call: Call, method: Method, input: ListInput): Promise<Answer> {
  const reach = authorise(call, method, input.project);
  await requireProject(deps, call, input);
  for (const field of ["parent", "labelSelector", "orderBy"] as const) {
    if (input[field] !== "") throw invalid("the request", [{ field, message: "does not apply to tasks" }]);
  }
  const comparisons = parseFilter(input.filter, namedFields(Object.keys(columns)));
  const question = JSON.stringify(["Task", input.project, input.filter]);
  const after = parsePageToken(question, input.pageToken);
  if (after !== undefined && !isUid(after.uid))
    throw new Fault(apiFaults.bad_page_token, "pageToken does not belong to this list");
  const size = input.pageSize || defaultPageSize;
  const rows = await listTasks(deps.pool, {
    project: input.project,
    environments: reach.all ? undefined : reach.environments,
    fields: await Promise.all(comparisons.map((comparison) => toColumn(deps, input.project, comparison))),
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
  return { body: `{"items":[${page.map((row) => row.object).join(",")}],"nextPageToken":"${next}","resourceVersion":""}` };
}

/** Returns the database column for a filter. Prefers an indexed column if the filter's value allows it. */
async function toColumn(
  deps: ApiDeps,
  project: string,
  { path, equal, value }: FieldComparison,
): Promise<{ column: string; equal: boolean; value: string }> {
  const field = path.join(".");
  if (equal && field === "spec.entityUid" && isUid(value)) return { column: indexedColumns.entity, equal, value };
  if (equal && field === "spec.operation" && !isUid(value)) {
    const operation = await findEntity(deps.pool, { kind: "Operation", project, namingScope: "", ref: value });
    if (operation !== undefined) return { column: indexedColumns.operation, equal, value: operation.uid };
  }
  return { column: columns[field] ?? "", equal, value };
}

/** Returns a task with its failed attempts. */
export async function getTaskMethod(deps: ApiDeps, call: Call, method: Method, input: EntityRef): Promise<Answer> {
  return { body: (await requireTask(deps, call, method, input)).object };
}

/** Lists the lines of a task's log that follow a position, oldest first. */
export async function listTaskLogs(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: {
    readonly project: string;
    readonly name: string;
    readonly after?: string;
    readonly pageSize: number;
    readonly maxPageBytes?: number | undefined;
  },
): Promise<Answer> {
  const { uid } = await requireTask(deps, call, method, input);
  const [attempt = 0, seq = 0] = (input.after ?? "").split(".").map(Number);
  const lines = await readLog(deps.pool, { uid, after: { attempt, seq }, limit: input.pageSize || defaultPageSize });
  const items = lines.map((line) => JSON.stringify(line));
  return { body: `{"items":[${items.slice(0, countFitting(items, input.maxPageBytes)).join(",")}]}` };
}

/** Returns a task as JSON text, together with its uid. `name` is the task's name or uid. */
async function requireTask(
  deps: ApiDeps,
  call: Call,
  method: Method,
  { project, name }: Pick<EntityRef, "project" | "name">,
): Promise<{ readonly uid: string; readonly object: string }> {
  const reach = authorise(call, method, project);
  await requireProject(deps, call, { project });
  const uid = readTaskUid(name);
  const object = uid && (await findTask(deps.pool, project, uid, reach.all ? undefined : reach.environments));
  if (uid === undefined || object === undefined) throw notFound("Task", name);
  return { uid, object };
}
