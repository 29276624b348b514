import { isObject, listOf, objectOf, textOf } from "@cloudwright/platform";
import { ApiError } from "../../../api/api-error.ts";
import type { ApiCall, ApiOperation, Touched } from "../../../api/api-service.ts";
import { takePage } from "../../../api/pages.ts";
import { listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import type { ApiRefusal } from "../../../provider/definition.ts";
import { mapOf } from "../../../values/read-value.ts";
import type { ValueMap } from "../../../values/value.ts";
import { listTagFacts, matchesFilters, type FilterFacts } from "../../data/filters.ts";
import { checkTags } from "../check-sizes.ts";

/** Throws an API error. */
export function refuse(refusal: ApiRefusal): never {
  throw new ApiError(refusal);
}

/** Returns a string parameter, or "" if the request does not have it. */
export function textIn({ body }: ApiCall, name: string): string {
  return textOf(objectOf(body)[name]);
}

/** Returns a list parameter, such as `InstanceId.1`, `InstanceId.2`. */
export function textsIn({ body }: ApiCall, name: string): readonly string[] {
  return listOf(objectOf(body)[name]).map(textOf);
}

/** Returns a list of objects, such as `BlockDeviceMapping.1.DeviceName`. */
export function objectsIn({ body }: ApiCall, name: string): readonly Readonly<Record<string, unknown>>[] {
  return listOf(objectOf(body)[name]).filter(isObject);
}

/** Returns a required parameter. */
export function requireText(call: ApiCall, name: string): string {
  const message = `The request must contain the parameter ${name}`;
  return textIn(call, name) || refuse({ code: "MissingParameter", message });
}

/** Returns the region of a request. */
export function regionOf({ scope }: ApiCall): string {
  return textOf(scope.session.config["region"]);
}

/** Returns the tags that a request sets on a new resource. */
export function newTags(call: ApiCall, resourceType: string): ValueMap {
  const specifications = objectsIn(call, "TagSpecification").filter((each) => textOf(each["ResourceType"]) === resourceType);
  const tags = Object.fromEntries(specifications.flatMap((each) => listOf(each["Tag"]).map(objectOf)).map(toPair));
  checkTags(tags, "TagLimitExceeded");
  return tags;
}

/** Returns the key and the value of a tag parameter. */
export function toPair(tag: Readonly<Record<string, unknown>>): [key: string, value: string] {
  return [textOf(tag["Key"]), textOf(tag["Value"])];
}

/** Renders the tags of a record. */
export function tagSetOf({ attributes }: CloudRecord): readonly { readonly key: string; readonly value: string }[] {
  const tags = { ...mapOf(attributes["tags"]), ...mapOf(attributes["tags_all"]) };
  return Object.entries(tags)
    .map(([key, value]) => ({ key, value: textOf(value) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** Lists the records of one type in the request's region that are already visible. */
export async function listHere(call: ApiCall, type: string): Promise<readonly CloudRecord[]> {
  const region = regionOf(call);
  const records = await listRecords(call, type, { isEventual: true });
  return records.filter(({ attributes }) => (textOf(attributes["region"]) || region) === region);
}

/** A type of resource that a Describe operation lists. */
export interface Described {
  /** The name of the operation, such as `DescribeVpcs`. */
  readonly name: string;
  readonly type: string;
  /** The parameter that contains ids, such as `VpcId`. */
  readonly ids: string;
  /** The element that contains the result, such as `vpcSet`. */
  readonly set: string;
  missing(id: string): ApiRefusal;
  /** Returns the records. Default: all records of the type in the region. */
  list?(call: ApiCall): Promise<readonly CloudRecord[]>;
  render(record: CloudRecord, call: ApiCall): Record<string, unknown> | Promise<Record<string, unknown>>;
  /** Properties that filters can match, in addition to tags. */
  facts(record: CloudRecord, call: ApiCall): FilterFacts;
}

/** Creates a Describe operation. Ids that do not exist are an error, but filters that match nothing are not. */
export function describeOperation(described: Described): ApiOperation {
  const { name, type, set } = described;
  return {
    name,
    match: { action: name },
    touches: { type, operation: "read" },
    async run(call) {
      const { items, next } = await findDescribed(call, described);
      const rendered = await Promise.all(items.map(async (record) => described.render(record, call)));
      return { content: { [set]: rendered, ...next } };
    },
  };
}

/** Returns the page of records that a Describe request specifies. */
export async function findDescribed(
  call: ApiCall,
  described: Described,
): Promise<{ readonly items: readonly CloudRecord[]; readonly next: { readonly nextToken?: string } }> {
  const all = await (described.list?.(call) ?? listHere(call, described.type));
  const ids = new Set(textsIn(call, described.ids));
  const existing = new Set(all.map(({ id }) => id));
  const unknown = [...ids].find((id) => !existing.has(id));
  if (unknown !== undefined) return refuse(described.missing(unknown));
  const filter = objectsIn(call, "Filter").map((each) => ({
    name: textOf(each["Name"]),
    values: listOf(each["Value"]).map(textOf),
  }));
  const found = all.filter(
    (record) =>
      (ids.size === 0 || ids.has(record.id)) &&
      matchesFilters({ filter }, { ...tagFactsOf(record), ...described.facts(record, call) }),
  );
  return pageOf(call, found);
}

function tagFactsOf(record: CloudRecord): FilterFacts {
  return listTagFacts(Object.fromEntries(tagSetOf(record).map(({ key, value }) => [key, value])));
}

function pageOf(call: ApiCall, found: readonly CloudRecord[]) {
  const given = textIn(call, "MaxResults");
  const size = given === "" ? 1000 : Number(given);
  if (!Number.isInteger(size) || size < 1 || size > 1000) {
    return refuse({ code: "InvalidParameterValue", message: `Value ( ${given} ) for parameter maxResults is invalid.` });
  }
  const { NextToken: token, MaxResults: _size, ...query } = objectOf(call.body);
  const page = takePage(call.identity, found, ({ id }) => id, {
    size,
    token: textOf(token),
    query: [call.caller.tenant, regionOf(call), query],
  });
  if (page === undefined) return refuse({ code: "InvalidNextToken", message: "The token in the request is invalid." });
  return { items: page.items, next: page.next === undefined ? {} : { nextToken: page.next } };
}

/** Returns an existing record in the request's region. */
export async function getHere(
  call: ApiCall,
  type: string,
  id: string,
  missing: (id: string) => ApiRefusal,
): Promise<CloudRecord> {
  return (await listHere(call, type)).find((record) => record.id === id) ?? refuse(missing(id));
}

/** Creates an operation that modifies resources. With the `DryRun` parameter, the operation only checks the caller's permission. */
export function changeOperation(
  name: string,
  touches: Touched,
  run: (call: ApiCall) => Promise<Record<string, unknown> | undefined>,
): ApiOperation {
  return {
    name,
    match: { action: name },
    touches,
    async run(call) {
      if (textIn(call, "DryRun") === "true") {
        const message = "Request would have succeeded, but DryRun flag is set.";
        refuse({ code: "DryRunOperation", message, status: 412 });
      }
      return { content: (await run(call)) ?? { return: true } };
    },
  };
}

/** Returns whether a parameter is true, or undefined if the request does not have it. */
export function flagIn(call: ApiCall, name: string): boolean | undefined {
  const value = objectOf(call.body)[name];
  const text = textOf(isObject(value) ? value["Value"] : value);
  return text === "" ? undefined : text === "true";
}
