import { listOf, objectOf, textOf } from "@cloudwright/platform";
import { ApiError } from "../../../api/api-error.ts";
import type { ApiCall, ApiOperation, Touched } from "../../../api/api-service.ts";
import { takePage } from "../../../api/pages.ts";
import { findRecord } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import type { ApiRefusal } from "../../../provider/definition.ts";
import { mapOf } from "../../../values/read-value.ts";
import { checkTags } from "../check-sizes.ts";

/** Throws an API error. */
export function refuse(refusal: ApiRefusal): never {
  throw new ApiError(refusal);
}

/** Returns a string parameter, or "" if the request does not have it. */
export function textIn({ body }: ApiCall, name: string): string {
  return textOf(objectOf(body)[name]);
}

/** Returns a required parameter. */
export function requireText(call: ApiCall, name: string): string {
  const message = `1 validation error detected: Value at '${name}' failed to satisfy constraint: Member must not be null`;
  return textIn(call, name) || refuse({ code: "ValidationError", message, status: 400 });
}

/** Returns a required policy document. Throws if it exceeds the quota. White space does not count towards the quota. */
export function requireDocument(
  call: ApiCall,
  name: string,
  quota: { readonly name: string; readonly characters: number },
): string {
  const document = requireText(call, name);
  if (document.replaceAll(/\s+/g, "").length <= quota.characters) return document;
  const message = `Cannot exceed quota for ${quota.name}: ${quota.characters}`;
  return refuse({ code: "LimitExceeded", message, status: 409 });
}

/** Creates an IAM operation. */
export function iamOperation(
  name: string,
  touches: Touched,
  run: (call: ApiCall) => Promise<Record<string, unknown> | undefined>,
): ApiOperation {
  return { name, match: { action: name }, touches, run: async (call) => ({ content: await run(call) }) };
}

/** Returns IAM's error for an entity that does not exist. */
export function noSuchEntity(message: string): ApiRefusal {
  return { code: "NoSuchEntity", message, status: 404 };
}

/** Returns the role that a request names. IAM hides new roles until the cloud's lag has elapsed. */
export async function getRole(call: ApiCall, name = requireText(call, "RoleName")): Promise<CloudRecord> {
  const found = await findRecord(call, "aws_iam_role", name, { isEventual: true });
  return found ?? refuse(noSuchEntity(`The role with name ${name} cannot be found.`));
}

/** Returns the tags that a request sets. */
export function tagsIn({ body }: ApiCall): Record<string, string> {
  const tags = listOf(objectOf(body)["Tags"]).map(objectOf);
  const set = Object.fromEntries(tags.map((tag) => [textOf(tag["Key"]), textOf(tag["Value"])]));
  checkTags(set, "LimitExceeded");
  return set;
}

/** Renders the tags of a record. */
export function renderTags({ attributes }: CloudRecord): readonly { readonly Key: string; readonly Value: string }[] {
  const tags = { ...mapOf(attributes["tags"]), ...mapOf(attributes["tags_all"]) };
  return Object.entries(tags).map(([Key, value]) => ({ Key, Value: textOf(value) }));
}

/** Returns one page of a list with IAM's marker. */
export function pageOf<Item>(
  call: ApiCall,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): { readonly items: readonly Item[]; readonly rest: Record<string, unknown> } {
  const given = textIn(call, "MaxItems");
  const size = given === "" ? 100 : Number(given);
  if (!Number.isInteger(size) || size < 1 || size > 1000)
    refuse({ code: "ValidationError", message: "MaxItems is invalid", status: 400 });
  const { Marker: token, MaxItems: _size, ...query } = objectOf(call.body);
  const page = takePage(call.identity, items, keyOf, { size, token: textOf(token), query: [call.caller.tenant, query] });
  if (page === undefined) return refuse({ code: "ValidationError", message: "Invalid Marker.", status: 400 });
  return {
    items: page.items,
    rest: { IsTruncated: page.next !== undefined, ...(page.next === undefined ? {} : { Marker: page.next }) },
  };
}
