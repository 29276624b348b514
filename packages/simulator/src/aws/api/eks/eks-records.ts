import { ApiError } from "../../../api/api-error.ts";
import type { ApiCall } from "../../../api/api-service.ts";
import type { Operation } from "../../../api/operations.ts";
import { takePage } from "../../../api/pages.ts";
import { findRecord, listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import type { ApiRefusal } from "../../../provider/definition.ts";
import { textOf } from "../../../values/read-value.ts";

/** Returns a path parameter. */
export function parameterOf({ parameters }: ApiCall, name: string): string {
  return parameters[name] ?? "";
}

/** Returns the region of a request. */
export function regionOf({ scope }: ApiCall): string {
  return textOf(scope.session.config["region"]);
}

/** Finds a record in the request's region. */
export async function findHere(call: ApiCall, type: string, id: string): Promise<CloudRecord | undefined> {
  const record = await findRecord(call, type, id);
  return record === undefined || regionOfRecord(record, call) !== regionOf(call) ? undefined : record;
}

/** Lists the records of one type in the request's region. */
export async function listHere(call: ApiCall, type: string): Promise<readonly CloudRecord[]> {
  return (await listRecords(call, type)).filter((record) => regionOfRecord(record, call) === regionOf(call));
}

// Records that were written without a region belong to every region.
function regionOfRecord({ attributes }: CloudRecord, call: ApiCall): string {
  return textOf(attributes["region"]) || regionOf(call);
}

/** Returns the cluster that the path names. Throws EKS's error if the cluster does not exist. */
export async function getCluster(call: ApiCall, name = parameterOf(call, "name")): Promise<CloudRecord> {
  return (await findHere(call, "aws_eks_cluster", name)) ?? refuse(notFound(`No cluster found for name: ${name}.`));
}

/** Returns EKS's error for a resource that does not exist. */
export function notFound(message: string): ApiRefusal {
  return { code: "ResourceNotFoundException", message, status: 404 };
}

/** Throws an API error. */
export function refuse(refusal: ApiRefusal): never {
  throw new ApiError(refusal);
}

/** Returns EKS's error for invalid input. */
export function invalid(message: string): ApiRefusal {
  return { code: "InvalidParameterException", message, status: 400 };
}

/** Returns EKS's error for a resource that has another change in progress. */
export function busy(message: string): ApiRefusal {
  return { code: "ResourceInUseException", message, status: 409 };
}

const pendingWords = { create: "CREATING", update: "UPDATING", delete: "DELETING" } as const;

/** Returns the status of a resource. While an operation is in progress, the operation determines the status. */
export function statusOf({ operations }: ApiCall, record: CloudRecord): string {
  const pending = operations.findPending(record);
  return pending === undefined ? textOf(record.attributes["status"]) || "ACTIVE" : pendingWords[pending.verb];
}

/** Throws if another operation on the resource is in progress. */
export function requireIdle({ operations }: ApiCall, record: CloudRecord, describe: (operation: Operation) => string): void {
  const pending = operations.findPending(record);
  if (pending !== undefined) refuse(busy(describe(pending)));
}

/** Throws unless the cluster is active. */
export function requireActive(call: ApiCall, cluster: CloudRecord): void {
  const status = statusOf(call, cluster);
  if (status === "ACTIVE" || status === "UPDATING") return;
  refuse({
    code: "InvalidRequestException",
    message: `Cluster '${cluster.id}' is not in ACTIVE status (${status}).`,
    status: 400,
  });
}

/** Returns one page of a list, in the form that most EKS list operations use. */
export function pageOf<Item>(
  call: ApiCall,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): { readonly items: readonly Item[]; readonly nextToken?: string } {
  const given = call.query.get("maxResults");
  const size = given === null ? 100 : Number(given);
  if (!Number.isInteger(size) || size < 1 || size > 100) refuse(invalid("maxResults must be between 1 and 100"));
  const query = [call.caller.tenant, regionOf(call), call.parameters];
  const page = takePage(call.identity, items, keyOf, { size, token: call.query.get("nextToken") ?? "", query });
  if (page === undefined) return refuse(invalid("Invalid nextToken"));
  return { items: page.items, ...(page.next === undefined ? {} : { nextToken: page.next }) };
}
