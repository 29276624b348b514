import { objectOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation, Touched } from "../../../api/api-service.ts";
import { findRecord, listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf, textOf } from "../../../values/read-value.ts";
import type { ValueMap } from "../../../values/value.ts";
import { refuse } from "../errors.ts";
import { computePages, pageOf } from "../page.ts";
import { parseFilter } from "./filter.ts";

const root = "https://www.googleapis.com/compute/v1";

/** Returns the link of a resource. */
export function linkOf(id: string): string {
  return `${root}/${id}`;
}

/** Returns the last part of a path or link. */
export function lastPart(text: unknown): string {
  return textOf(text).split("/").at(-1) ?? "";
}

/** Returns a path parameter. */
export function parameterOf({ parameters }: ApiCall, name: string): string {
  return parameters[name] ?? "";
}

/** Describes a Compute Engine operation. The name is relative to `compute`, and the path is relative to the project. */
export function operate(
  name: string,
  [method, path]: readonly [method: string, path: string],
  touches: Touched | undefined,
  run: (call: ApiCall) => Promise<unknown>,
): ApiOperation {
  return {
    name: `compute.${name}`,
    match: { method, path: `/compute/v1/projects/{project}${path}` },
    ...(touches === undefined ? {} : { touches }),
    run: async (call) => ({ content: await run(call) }),
  };
}

/** Returns the path of the request's scope: a zone, a region, or the whole project. */
export function scopePath({ parameters }: ApiCall): string {
  const { project = "", zone, region } = parameters;
  const scope = zone !== undefined ? `zones/${zone}` : region !== undefined ? `regions/${region}` : "global";
  return `projects/${project}/${scope}`;
}

/** Returns a record by its id. Throws Compute Engine's error if the record does not exist. */
export async function getRecord(call: ApiCall, type: string, id: string): Promise<CloudRecord> {
  return (await findRecord(call, type, id)) ?? refuse(missing(id));
}

/** Returns Compute Engine's error for a resource that does not exist. */
export function missing(id: string) {
  return { code: "notFound", message: `The resource '${id}' was not found`, status: 404 } as const;
}

/** Throws Compute Engine's error for a field whose value is invalid. */
export function refuseValue(message: string): never {
  return refuse({ code: "invalid", message, status: 400 });
}

/** Throws Compute Engine's error if another operation on the record is in progress. */
export function requireIdle({ operations }: Pick<ApiCall, "operations">, record: CloudRecord): void {
  if (operations.findPending(record) === undefined) return;
  refuse({ code: "resourceNotReady", message: `The resource '${record.id}' is not ready`, status: 400 });
}

/** Lists the records of one type in the request's scope. Compute Engine's lists show new resources only after a delay. */
export async function listHere(call: ApiCall, type: string, prefix = `${scopePath(call)}/`): Promise<readonly CloudRecord[]> {
  return (await listRecords(call, type, { isEventual: true })).filter(({ id }) => id.startsWith(prefix));
}

type Item = Readonly<Record<string, unknown>>;

/** Renders a list: filters the items and returns one page of them. */
export function renderList(call: ApiCall, kind: string, all: readonly Item[], suffix: string): Item {
  const isWanted = parseFilter(call.query.get("filter") ?? "");
  const { items, ...rest } = pageOf(call, all.filter(isWanted), ({ name }) => textOf(name), computePages);
  const path = suffix === "" ? scopePath(call) : suffix;
  return { kind: `compute#${kind}`, id: path, ...(items.length === 0 ? {} : { items }), ...rest, selfLink: linkOf(path) };
}

/** Renders an aggregated list across all zones or regions: groups the items of one page by their scope. */
export function renderAggregated(
  call: ApiCall,
  kind: string,
  collection: string,
  all: readonly { readonly scope: string; readonly item: Item }[],
  scopes: readonly string[],
): Item {
  const isWanted = parseFilter(call.query.get("filter") ?? "");
  const wanted = all.filter(({ item }) => isWanted(item));
  const { items, ...rest } = pageOf(call, wanted, ({ scope, item }) => `${scope} ${textOf(item["name"])}`, computePages);
  const groups = Map.groupBy(items, ({ scope }) => scope);
  const path = `projects/${parameterOf(call, "project")}/aggregated/${collection}`;
  const none = (scope: string) => ({
    warning: {
      code: "NO_RESULTS_ON_PAGE",
      message: `There are no results for scope '${scope}' on this page.`,
      data: [{ key: "scope", value: scope }],
    },
  });
  return {
    kind: `compute#${kind}`,
    id: path,
    items: Object.fromEntries(
      [...new Set([...scopes, ...groups.keys()])].map((scope) => {
        const found = groups.get(scope);
        return [scope, found === undefined ? none(scope) : { [collection]: found.map(({ item }) => item) }];
      }),
    ),
    ...rest,
    selfLink: linkOf(path),
  };
}

/** Returns all labels of a resource, including the provider's default labels. */
export function labelsOf({ attributes }: CloudRecord): Record<string, string> {
  const labels = { ...mapOf(attributes["effective_labels"]), ...mapOf(attributes["labels"]) };
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, textOf(value)]));
}

/** Returns the attributes that replace all labels of a resource. */
export function writeLabels(labels: unknown): ValueMap {
  const texts = Object.fromEntries(Object.entries(objectOf(labels)).map(([key, value]) => [key, textOf(value)]));
  return { labels: texts, effective_labels: texts };
}
