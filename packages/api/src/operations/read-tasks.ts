import type { Operation } from "@cloudwright/contract";
import { Fault, isUid } from "@cloudwright/platform";
import { findTask, listTasks, readLog, taskColumns } from "@cloudwright/tasks";
import type { Answer } from "../answer.ts";
import { authorise, type Call } from "../caller.ts";
import { invalid } from "../decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { parseFilter } from "../filter.ts";
import { parsePageToken, renderPageToken } from "../page-token.ts";
import { notFound } from "../target.ts";
import type { EntityRef } from "./get-entity.ts";
import { requireProject, type ListInput } from "./list-entities.ts";

const columns: Readonly<Record<string, string>> = taskColumns;
const defaultPageSize = 100;

/** One page of tasks, newest first; of those of entities in the environments that the caller reaches. */
export async function listTasksOperation(deps: ApiDeps, call: Call, operation: Operation, input: ListInput): Promise<Answer> {
  const reach = authorise(call, operation, input.project);
  await requireProject(deps, call, input);
  for (const field of ["parent", "labelSelector", "orderBy"] as const) {
    if (input[field] !== "") throw invalid("the request", [{ field, message: "does not apply to tasks" }]);
  }
  const comparisons = parseFilter(input.filter, (path) => Object.hasOwn(columns, path.join(".")));
  const question = JSON.stringify(["Task", input.project, input.filter]);
  const after = parsePageToken(question, input.pageToken);
  if (after !== undefined && !isUid(after.uid))
    throw new Fault(apiFaults.bad_page_token, "pageToken does not belong to this list");
  const size = input.pageSize || defaultPageSize;
  const rows = await listTasks(deps.pool, {
    project: input.project,
    environments: reach.all ? undefined : reach.environments,
    fields: comparisons.map(({ path, equal, value }) => ({ column: columns[path.join(".")] ?? "", equal, value })),
    limit: size + 1,
    after: after?.uid,
  });
  const page = rows.slice(0, size);
  const last = rows.length > size ? page.at(-1) : undefined;
  const next = last === undefined ? "" : renderPageToken(question, { value: "", uid: last.uid });
  return { body: `{"items":[${page.map((row) => row.object).join(",")}],"nextPageToken":"${next}","resourceVersion":""}` };
}

/** One task, with the attempts that did not end it. */
export async function getTaskOperation(deps: ApiDeps, call: Call, operation: Operation, input: EntityRef): Promise<Answer> {
  return { body: await requireTask(deps, call, operation, input) };
}

/** Lines of a task's log, oldest first, after a position. */
export async function listTaskLogs(
  deps: ApiDeps,
  call: Call,
  operation: Operation,
  input: { readonly project: string; readonly name: string; readonly after?: string; readonly pageSize: number },
): Promise<Answer> {
  await requireTask(deps, call, operation, input);
  const [attempt = 0, seq = 0] = (input.after ?? "").split(".").map(Number);
  const lines = await readLog(deps.pool, { uid: input.name, after: { attempt, seq }, limit: input.pageSize || defaultPageSize });
  return { body: JSON.stringify({ items: lines }) };
}

/** A task has no name but its uid. */
async function requireTask(
  deps: ApiDeps,
  call: Call,
  operation: Operation,
  { project, name }: Pick<EntityRef, "project" | "name">,
): Promise<string> {
  const reach = authorise(call, operation, project);
  await requireProject(deps, call, { project });
  const task = isUid(name) ? await findTask(deps.pool, project, name, reach.all ? undefined : reach.environments) : undefined;
  if (task === undefined) throw notFound("Task", name);
  return task;
}
