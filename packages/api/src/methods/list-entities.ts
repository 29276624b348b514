import { systemProject, type Method } from "@cloudwright/contract";
import { isUid, Fault } from "@cloudwright/platform";
import { countMembers, findReferences, listEntities, type ListedRow, type SortKey } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { reachesPlatform, requireCaller, type Call } from "../calls/caller.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { knowsField, parseFilter, parseSelector, type FieldComparison } from "../paging/filter.ts";
import { parsePageToken, renderPageToken } from "../paging/page-token.ts";
import { notFound, resolveTarget, type Target } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";

export interface ListInput {
  readonly project: string;
  readonly parent: string;
  readonly labelSelector: string;
  readonly filter: string;
  readonly orderBy: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

const sortKeys: Readonly<Record<string, SortKey>> = { name: "name", createdAt: "created_at", updatedAt: "updated_at" };
const defaultPageSize = 100;

/** One page of a kind, cut down in SQL to what the caller may see. */
export async function listEntitiesOperation(deps: ApiDeps, call: Call, method: Method, input: ListInput): Promise<Answer> {
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
  const { rows, position } = await listEntities(deps.pool, {
    kind,
    project: input.project,
    namingScope: target.namingScope,
    labels: parseSelector(input.labelSelector),
    fields: [...parseFilter(input.filter, knowsField(kind)), ...ownKeyOnly(call, kind)],
    environments: target.reach.all ? undefined : target.reach.environments,
    sort,
    descending: order.startsWith("-"),
    limit: size + 1,
    after,
    ...visible(call, target),
    ...(kind === "Environment" && !target.reach.all ? { environments: undefined, names: target.reach.environments } : {}),
  });
  const page = rows.slice(0, size);
  const last = Number(rows[0]?.found ?? 0) > page.length ? page.at(-1) : undefined;
  const next = last === undefined ? "" : renderPageToken(question, { value: toSortValue(sort, last), uid: last.uid });
  const objects = kind === "Environment" ? await withMembers(deps, page) : page.map((row) => row.object);
  return { body: `{"items":[${objects.join(",")}],"nextPageToken":"${next}","resourceVersion":"${position}"}` };
}

/** Times are kept to the millisecond, so that they go into a token and back without loss. */
function toSortValue(sort: SortKey, row: ListedRow): string {
  return sort === "name" ? row.sort_value : new Date(row.sort_value).toISOString();
}

/** Whether the value is one that `toSortValue` gives: whoever holds a token can change it, and PostgreSQL reads it. */
function isSortValue(sort: SortKey, value: string): boolean {
  if (sort === "name") return /^[-a-z0-9]{1,63}$/.test(value);
  return /^[12]\d{3}-.*Z$/.test(value) && !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value;
}

/** A project that does not exist is no empty list. Who holds a role in it knows that it does. */
export async function requireProject(deps: Pick<ApiDeps, "pool">, call: Call, target: Pick<Target, "project">): Promise<void> {
  const { project } = target;
  if (project === "" || call.caller?.grants.some((grant) => grant.project === project) === true) return;
  const [found] = await findReferences(deps.pool, [{ kind: "Project", project: "", ref: project }]);
  if (found === undefined || found.name !== project) throw notFound("Project", project);
}

/** The kinds that belong to no project are cut down by what the caller is, not where they are. */
export function visible(call: Call, target: Target): { parentUid: string | undefined; names: readonly string[] | undefined } {
  const caller = requireCaller(call);
  const everything = { parentUid: target.parent?.uid, names: undefined };
  if (target.kind.kind === "ApiKey" && !reachesPlatform(caller, "owner")) return { ...everything, parentUid: caller.userUid };
  if (target.kind.kind === "Project" && !caller.grants.some((grant) => grant.project === systemProject)) {
    return { ...everything, names: caller.grants.map((grant) => grant.project) };
  }
  return everything;
}

/** A limited key sees no other: what it may not use it need not know. */
function ownKeyOnly(call: Call, kind: string): FieldComparison[] {
  const { cap, keyUid } = requireCaller(call);
  if (kind !== "ApiKey" || (cap.project === "" && cap.role === "")) return [];
  return [{ path: ["metadata", "uid"], equal: true, value: keyUid ?? "none" }];
}

async function withMembers(deps: ApiDeps, rows: readonly { uid: string; object: string }[]): Promise<string[]> {
  const members = await countMembers(
    deps.pool,
    rows.map((row) => row.uid),
  );
  return rows.map((row) => {
    const entity = parseEntity(row.object);
    const own = members.filter((member) => member.environment_uid === row.uid);
    entity.status["members"] = own.map(({ kind, phase, count }) => ({ kind, phase, count }));
    return JSON.stringify(entity);
  });
}
