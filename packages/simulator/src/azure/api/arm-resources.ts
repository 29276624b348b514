import { createHash } from "node:crypto";
import { objectOf, textOf } from "@cloudwright/platform";
import type { ApiAnswer, ApiCall } from "../../api/api-service.ts";
import type { Operation } from "../../api/operations.ts";
import { takePage } from "../../api/pages.ts";
import { findRecord, listRecords } from "../../api/read-records.ts";
import type { CloudRecord } from "../../inventory/inventory.ts";
import { mapOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { refuse } from "./errors.ts";

/** Returns a path parameter. */
export function parameterOf({ parameters }: ApiCall, name: string): string {
  return parameters[name] ?? "";
}

/** Fills in a path template such as `Microsoft.Network/virtualNetworks/{virtualNetworkName}` from the parameters of a request. */
export function renderTemplate(call: ApiCall, template: string): string {
  return template.replaceAll(/\{(\w+)\}/g, (_match, name: string) => parameterOf(call, name));
}

/** Finds a record by its id. Azure ignores the case of ids. */
export async function findById(call: ApiCall, type: string, id: string): Promise<CloudRecord | undefined> {
  const found = await findRecord(call, type, id);
  if (found !== undefined) return found;
  return (await listRecords(call, type)).find((record) => record.id.toLowerCase() === id.toLowerCase());
}

/** Returns the resource group that the path names. Throws if it does not exist. */
export async function getGroup(call: ApiCall): Promise<CloudRecord> {
  const name = parameterOf(call, "resourceGroupName");
  const found = await findById(call, "azurerm_resource_group", `${subscriptionPath(call)}/resourceGroups/${name}`);
  return found ?? refuse("ResourceGroupNotFound", `Resource group '${name}' could not be found.`, 404);
}

/** Returns the path of the request's subscription. */
export function subscriptionPath(call: ApiCall): string {
  return `/subscriptions/${parameterOf(call, "subscriptionId")}`;
}

/** Throws the error for a resource that does not exist. `template` names it, such as `Microsoft.Compute/disks/{diskName}`. */
export async function refuseMissing(call: ApiCall, template: string): Promise<never> {
  const group = await getGroup(call);
  const message = `The Resource '${renderTemplate(call, template)}' under resource group '${textOf(group.attributes["name"])}' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix`;
  return refuse("ResourceNotFound", message, 404);
}

/** Returns the version of a resource. The version changes with every change to the resource. */
export function etagOf(attributes: ValueMap): string {
  return createHash("sha256").update(JSON.stringify(attributes)).digest("hex").slice(0, 32);
}

/** Throws if the conditions in the request's headers are not met. */
export function checkConditions({ headers = {} }: ApiCall, etag: string | undefined): void {
  const strip = (text: string | undefined): string | undefined => text?.replace(/^W\//, "").replaceAll('"', "");
  const [wanted, unwanted] = [strip(headers["if-match"]), strip(headers["if-none-match"])];
  if (unwanted === "*" && etag !== undefined) refuse("PreconditionFailed", "The resource already exists.", 412);
  if (wanted !== undefined && (wanted === "*" ? etag === undefined : wanted !== etag)) {
    refuse("PreconditionFailed", "The ETag in the request does not match that of the resource.", 412);
  }
}

/** Returns the provisioning state of a resource. `creating` is the service's name for a creation. */
export function stateOf({ operations }: ApiCall, record: CloudRecord, creating = "Creating"): string {
  const pending = operations.findPending(record);
  if (pending === undefined) return "Succeeded";
  return { create: creating, update: "Updating", delete: "Deleting" }[pending.verb];
}

/**
 * The parts of a response to an asynchronous request. `namespace` and `location` determine the links with which a client follows the
 * operation.
 */
export interface FollowedOperation {
  readonly namespace: string;
  readonly location: string;
  readonly status: number;
  readonly content?: unknown;
}

/** Returns the response to a request that Azure accepts now and completes later. Its headers link to the operation. */
export function accept(
  call: ApiCall,
  operation: Operation,
  { namespace, location, status, content }: FollowedOperation,
): ApiAnswer {
  const place = location.toLowerCase().replaceAll(" ", "") || "global";
  const base = `${call.origin}${subscriptionPath(call)}/providers/${namespace}/locations/${place}`;
  const version = `api-version=${call.query.get("api-version") ?? ""}`;
  const results = { location: `${base}/operationResults/${operation.id}?${version}` };
  return {
    status,
    headers: {
      "azure-asyncoperation": `${base}/operations/${operation.id}?${version}`,
      ...(status === 202 ? results : {}),
      "retry-after": pauseFor(call, operation),
    },
    content,
  };
}

/** Returns how many seconds a client should wait before it polls again. */
export function pauseFor({ scope }: ApiCall, { doneMs }: Operation): string {
  return String(Math.min(10, Math.max(1, Math.ceil((doneMs - scope.clock.now()) / 1000))));
}

/** One page of a list, and the link to the next one as Azure renders it. */
export interface LinkedPage<Item> {
  readonly items: readonly Item[];
  readonly link: { readonly nextLink?: string };
}

/** Returns one page of a list. `path` is the path of the request. */
export function takeLinkedPage<Item>(
  call: ApiCall,
  path: string,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): LinkedPage<Item> {
  const top = Number(call.query.get("$top") ?? defaultPage);
  if (!Number.isInteger(top) || top < 1) refuse("InvalidTopQueryParameter", "The value of $top must be a positive integer.", 400);
  const size = Math.min(top, largestPage);
  const filter = call.query.get("$filter") ?? "";
  const token = call.query.get("$skiptoken") ?? "";
  const query = [call.caller.tenant, path.toLowerCase(), filter];
  const page = takePage(call.identity, items, keyOf, { size, token, query });
  if (page === undefined) refuse("InvalidSkipToken", "The value of $skiptoken is invalid.", 400);
  return { items: page.items, link: page.next === undefined ? {} : { nextLink: renderNext(call, path, page.next) } };
}

const defaultPage = 100;
const largestPage = 1000;

function renderNext(call: ApiCall, path: string, token: string): string {
  const query = new URLSearchParams(call.query);
  query.set("$skiptoken", token);
  return `${call.origin}${path.split("/").map(encodeURIComponent).join("/")}?${query.toString()}`;
}

/** Returns the tags of a request as attributes. Returns no attributes if the request does not set tags. */
export function readTags(body: unknown): ValueMap {
  const { tags } = objectOf(body);
  if (tags === undefined || tags === null) return {};
  return { tags: Object.fromEntries(Object.entries(objectOf(tags)).map(([key, value]) => [key, textOf(value)])) };
}

/** Returns the tags of a record. */
export function tagsOf({ attributes }: CloudRecord): Record<string, string> {
  return Object.fromEntries(Object.entries(mapOf(attributes["tags"])).map(([key, value]) => [key, textOf(value)]));
}
