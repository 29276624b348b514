import type { Method } from "@cloudwright/contract";
import { isUid, Fault } from "@cloudwright/platform";
import { findReferences, listEntities, type EntityList, type ListedRow, type SortKey } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { requireCaller, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { fieldsOfKind, parseFilter, parseSelector } from "../paging/filter.ts";
import { parsePageToken, renderPageToken } from "../paging/page-token.ts";
import { notFound, resolveTarget, type Target } from "../entities/target.ts";
import { rulesOf } from "../kinds/rules.ts";

export interface ListInput {
  readonly project: string;
  readonly parent: string;
  readonly labelSelector: string;
  readonly filter: string;
  readonly orderBy: string;
  readonly pageSize: number;
  readonly pageToken: string;
  /** A page ends at this size, even if it contains fewer than `pageSize` items. Undefined means the default. */
  readonly maxPageBytes?: number | undefined;
}

const sortKeys: Readonly<Record<string, SortKey>> = { name: "name", createdAt: "created_at", updatedAt: "updated_at" };
const defaultPageSize = 100;

/** Lists one page of entities. The query itself excludes entities that the caller may not see. */
export async function listEntitiesMethod(deps: ApiDeps, call: Call, method: Method, input: ListInput): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, input);
  await requireProject(deps, call, target);
  const kind = target.kind.kind;
  const order = input.orderBy || "name";
  const sort = sortKeys[order.replace(/^-/, "")] ?? "name";
  const question = JSON.stringify([kind, input.project, input.parent, input.labelSelector, input.filter, order]);
  const after = parsePageToken(question, input.pageToken);
  if (after !== undefined && !(isUid(after.uid) && isSortValue(sort, after.value))) {
    throw new Fault(apiFaults.bad_page_token, "pageToken does not belong to this list");
  }
  const size = input.pageSize || defaultPageSize;
  const rules = rulesOf(kind);
  const { fields = [], ...narrowed } = rules.limitList?.(requireCaller(call), target.reach) ?? {};
  const { rows, position } = await listEntities(deps.pool, {
    kind,
    project: input.project,
    namingScope: target.namingScope,
    labels: parseSelector(input.labelSelector),
    fields: [...parseFilter(input.filter, fieldsOfKind(kind)), ...fields],
    environments: target.reach.all ? undefined : target.reach.environments,
    sort,
    descending: order.startsWith("-"),
    limit: size + 1,
    after,
    maxBytes: input.maxPageBytes,
    ...visible(call, target),
    ...narrowed,
  });
  const page = rows.slice(0, size);
  const last = Number(rows[0]?.found ?? 0) > page.length ? page.at(-1) : undefined;
  const next = last === undefined ? "" : renderPageToken(question, { value: toSortValue(sort, last), uid: last.uid });
  const objects = (await rules.renderRows?.(deps, page)) ?? page.map((row) => row.object);
  return { body: `{"items":[${objects.join(",")}],"nextPageToken":"${next}","resourceVersion":"${position}"}` };
}

/** Returns the sort value for a page token. Times are stored with millisecond precision, so the conversion loses nothing. */
function toSortValue(sort: SortKey, row: ListedRow): string {
  return sort === "name" ? row.sort_value : new Date(row.sort_value).toISOString();
}

/**
 * Returns whether the value in a page token is well-formed. It must be checked, because callers can modify tokens and the value is passed
 * to PostgreSQL.
 */
function isSortValue(sort: SortKey, value: string): boolean {
  if (sort === "name") return /^[-a-z0-9]{1,63}$/.test(value);
  return /^[12]\d{3}-.*Z$/.test(value) && !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value;
}

/**
 * Throws if the project does not exist, because the list would otherwise just be empty. The check is skipped for callers with a role in
 * the project.
 */
export async function requireProject(deps: Pick<ApiDeps, "pool">, call: Call, target: Pick<Target, "project">): Promise<void> {
  const { project } = target;
  if (project === "" || call.caller?.grants.some((grant) => grant.project === project) === true) return;
  const [found] = await findReferences(deps.pool, [{ kind: "Project", project: "", ref: project }]);
  if (found === undefined || found.name !== project) throw notFound("Project", project);
}

/** Returns the filters that restrict lists and watches to the requested parent and to entities the caller may see. */
export function visible(call: Call, target: Target): Pick<EntityList, "parentUid" | "names"> {
  const limits = rulesOf(target.kind.kind).limitToVisible?.(requireCaller(call));
  return { parentUid: target.parent?.uid, names: undefined, ...limits };
}
