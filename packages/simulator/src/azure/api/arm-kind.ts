import { isObject, objectOf, textOf } from "@cloudwright/platform";
import type { ApiAnswer, ApiCall, ApiOperation, Touched } from "../../api/api-service.ts";
import { inTurn } from "../../api/in-turn.ts";
import { mergeBlocks, readFields, writeFields, type ResourceMapping } from "../../api/map-fields.ts";
import { findRecord, listRecords } from "../../api/read-records.ts";
import { takeTurn } from "../../cloud/turns.ts";
import type { CloudRecord } from "../../inventory/inventory.ts";
import type { Value, ValueMap } from "../../values/value.ts";
import {
  accept,
  checkConditions,
  etagOf,
  findById,
  getGroup,
  readTags,
  refuseMissing,
  renderTemplate,
  stateOf,
  tagsOf,
  takeLinkedPage,
} from "./arm-resources.ts";
import { refuse } from "./errors.ts";

/** A resource type of Azure Resource Manager and the Terraform resource type that defines its behaviour. */
export interface ArmKind {
  readonly mapping: ResourceMapping;
  /** The path of one resource relative to its group, such as `Microsoft.Compute/disks/{diskName}`. */
  readonly path: string;
  /**
   * The name of the operation group in the API description, such as `Disks`, and the names of operations that differ from the usual ones.
   */
  readonly title: string;
  readonly names?: Partial<Record<"list" | "listAll" | "update", string>>;
  /** Whether the resource has a location and tags of its own. Default: true. */
  readonly isTracked?: boolean;
  /** Throws if the resource that contains the listed resources does not exist. */
  readonly checkParent?: (call: ApiCall) => Promise<unknown>;
  /** The service's name for the state of a resource that is being created. Default: `Creating`. */
  readonly creating?: string;
  /** Returns additional attributes for a request, and attributes that the Terraform type lacks. */
  readonly read?: (call: ApiCall, body: unknown, existing: CloudRecord | undefined) => Promise<Written> | Written;
  /** Returns the rendered resource with additional fields. */
  readonly complete?: (
    call: ApiCall,
    record: CloudRecord,
    rendered: Record<string, unknown>,
  ) => Promise<Record<string, unknown>> | Record<string, unknown>;
  /** Returns Azure's name for a change to an existing resource. */
  readonly nameUpdate?: (body: unknown, existing: CloudRecord) => string;
  /** How large a record may be. Default: the usual limit. */
  readonly mostBytes?: number;
}

/** The attributes that a request sets. `beyond` contains the attributes that are not part of the Terraform type. */
export interface Written {
  readonly config: ValueMap;
  readonly beyond?: ValueMap;
}

/** Returns the usual operations of a resource type: read, list, create or replace, change, delete. */
export function listArmOperations(kind: ArmKind): readonly ApiOperation[] {
  const { title, names = {}, isTracked = true } = kind;
  const inGroup = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/";
  const one = `${inGroup}${kind.path}`;
  const all = kind.path.replace(/\/\{\w+\}$/, "");
  const touch = (operation: Touched["operation"]): { readonly touches: Touched } => ({
    touches: { type: kind.mapping.type, operation },
  });
  const list: ApiOperation = {
    name: `${title}_${names.list ?? "List"}`,
    match: { method: "GET", path: `${inGroup}${all}` },
    ...touch("read"),
    run: (call) => listResources(call, kind, `${inGroup}${all}`, `${inGroup}${all}/`),
  };
  const wide: ApiOperation = {
    name: `${title}_${names.listAll ?? "ListAll"}`,
    match: { method: "GET", path: `/subscriptions/{subscriptionId}/providers/${all}` },
    ...touch("read"),
    run: (call) =>
      listResources(call, kind, `/subscriptions/{subscriptionId}/providers/${all}`, "/subscriptions/{subscriptionId}/"),
  };
  const update: ApiOperation = {
    name: `${title}_${names.update ?? "UpdateTags"}`,
    match: { method: "PATCH", path: one },
    ...touch("update"),
    run: (call) => inConditionalTurn(call, kind, () => patchResource(call, kind)),
  };
  return [
    { name: `${title}_Get`, match: { method: "GET", path: one }, ...touch("read"), run: (call) => readResource(call, kind) },
    list,
    ...(isTracked ? [wide, update] : []),
    {
      name: `${title}_CreateOrUpdate`,
      match: { method: "PUT", path: one },
      ...touch("create"),
      run: (call) => inConditionalTurn(call, kind, () => putResource(call, kind)),
    },
    {
      name: `${title}_Delete`,
      match: { method: "DELETE", path: one },
      ...touch("delete"),
      run: (call) => inConditionalTurn(call, kind, () => deleteResource(call, kind)),
    },
  ];
}

/** Returns the resource that a request names. Throws Azure's error if the resource does not exist. */
export async function getResource(call: ApiCall, kind: ArmKind): Promise<CloudRecord> {
  return (await findResource(call, kind)) ?? refuseMissing(call, kind.path);
}

function findResource(call: ApiCall, kind: ArmKind): Promise<CloudRecord | undefined> {
  return findById(call, kind.mapping.type, renderTemplate(call, idTemplate(kind)));
}

function idTemplate({ path }: ArmKind): string {
  return `/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/${path}`;
}

/** Renders a resource as its service does. */
export async function renderResource(call: ApiCall, kind: ArmKind, record: CloudRecord): Promise<Record<string, unknown>> {
  const { mapping, isTracked = true, creating, complete } = kind;
  const { properties, ...top } = readFields(mapping, record);
  const rendered = {
    id: record.id,
    name: record.id.split("/").at(-1),
    type: typeOf(kind),
    ...(isTracked ? { location: textOf(record.attributes["location"]), tags: tagsOf(record) } : {}),
    ...top,
    properties: { ...objectOf(properties), provisioningState: stateOf(call, record, creating) },
  };
  return (await complete?.(call, record, rendered)) ?? rendered;
}

/** Returns the type of a resource, such as `Microsoft.Network/virtualNetworks/subnets`. */
function typeOf({ path }: ArmKind): string {
  return path.replaceAll(/\/\{\w+\}/g, "");
}

// Azure may not show a new resource immediately.
const eventually = { isEventual: true };

async function readResource(call: ApiCall, kind: ArmKind): Promise<ApiAnswer> {
  const { type, id } = await getResource(call, kind);
  const visible = (await findRecord(call, type, id, eventually)) ?? (await refuseMissing(call, kind.path));
  return { content: await renderResource(call, kind, visible) };
}

async function listResources(call: ApiCall, kind: ArmKind, path: string, within: string): Promise<ApiAnswer> {
  if (call.parameters["resourceGroupName"] !== undefined) await getGroup(call);
  await kind.checkParent?.(call);
  const prefix = renderTemplate(call, within).toLowerCase();
  const own = (await listRecords(call, kind.mapping.type, eventually)).filter(({ id }) => id.toLowerCase().startsWith(prefix));
  const { items, link } = takeLinkedPage(call, renderTemplate(call, path), own, ({ id }) => id);
  return { content: { value: await Promise.all(items.map((record) => renderResource(call, kind, record))), ...link } };
}

/** Lets conditional requests for the same resource wait for one another, so that exactly one of two with the same ETag succeeds. */
function inConditionalTurn(call: ApiCall, kind: ArmKind, act: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  const { "if-match": match, "if-none-match": noMatch } = call.headers ?? {};
  if (match === undefined && noMatch === undefined) return act();
  return inTurn(`${call.caller.tenant}\n${renderTemplate(call, idTemplate(kind)).toLowerCase()}`, act);
}

async function putResource(call: ApiCall, kind: ArmKind): Promise<ApiAnswer> {
  const { mapping, isTracked = true, read, path } = kind;
  const existing = await findResource(call, kind);
  checkConditions(call, existing === undefined ? undefined : etagOf(existing.attributes));
  const body = objectOf(call.body);
  if (body["properties"] !== undefined && !isObject(body["properties"])) {
    refuse("InvalidRequestContent", "The request content was invalid: properties is not an object.", 400);
  }
  const written = (await read?.(call, body, existing)) ?? { config: {} };
  const given = { ...writeFields(mapping, body), ...written.config, ...(isTracked ? readTags(body) : {}) };
  if (existing !== undefined) {
    if (isTracked) checkLocation(existing, body);
    return changeResource(call, kind, existing, { ...written, config: given }, kind.nameUpdate?.(body, existing));
  }
  const group = await getGroup(call);
  if (isTracked && textOf(body["location"]) === "") {
    refuse("LocationRequired", "The location property is required for this definition.", 400);
  }
  const config = {
    ...given,
    name: call.parameters[/\{(\w+)\}$/.exec(path)?.[1] ?? ""] ?? "",
    resource_group_name: textOf(group.attributes["name"]),
    ...(isTracked ? { location: spellLocation(textOf(body["location"])) } : {}),
  };
  const beyond = { ...written.beyond, api_created_ms: Math.floor(call.nowMs) };
  const { record, operation } = await call.operations.create(mapping.type, config, {
    beyond,
    name: `${kind.title}_Create`,
    mostBytes: kind.mostBytes,
  });
  const content = await renderResource(call, kind, record);
  return accept(call, operation, { ...placeOf(kind, record), status: 201, content });
}

/** Changes an existing resource. Attributes that the request leaves out remain unchanged. */
async function changeResource(
  call: ApiCall,
  kind: ArmKind,
  existing: CloudRecord,
  { config, beyond }: Written,
  name = `${kind.title}_Update`,
): Promise<ApiAnswer> {
  requireIdle(call, existing);
  const merged = mergeBlocks(existing.attributes, config);
  const patch = Object.fromEntries(Object.keys(config).map((key): [string, Value] => [key, merged[key] ?? null]));
  const changed = await call.operations.update(existing, patch, { name, mostBytes: kind.mostBytes });
  const record = beyond === undefined ? changed.record : await keepBeyond(call, changed.record, beyond);
  const content = await renderResource(call, kind, record);
  return accept(call, changed.operation, { ...placeOf(kind, record), status: 200, content });
}

/** Stores attributes that the Terraform type of a record lacks. */
export async function keepBeyond({ scope }: ApiCall, record: CloudRecord, beyond: ValueMap): Promise<CloudRecord> {
  const { inventory, tenant } = scope;
  return takeTurn(inventory, tenant, async () => {
    const current = (await inventory.find(tenant, record)) ?? record;
    const changed = { ...current, attributes: { ...current.attributes, ...beyond } };
    await inventory.put(tenant, changed);
    return changed;
  });
}

async function patchResource(call: ApiCall, kind: ArmKind): Promise<ApiAnswer> {
  const existing = await getResource(call, kind);
  checkConditions(call, etagOf(existing.attributes));
  const config = { ...writeFields(kind.mapping, call.body), ...readTags(call.body) };
  return changeResource(call, kind, existing, { config });
}

async function deleteResource(call: ApiCall, kind: ArmKind): Promise<ApiAnswer> {
  const record = await findResource(call, kind);
  if (record === undefined) {
    await getGroup(call);
    return { status: 204, content: undefined };
  }
  checkConditions(call, etagOf(record.attributes));
  const pending = call.operations.findPending(record);
  const operation = pending?.verb === "delete" ? pending : await call.operations.delete(record, { name: `${kind.title}_Delete` });
  return accept(call, operation, { ...placeOf(kind, record), status: 202 });
}

function placeOf(kind: ArmKind, { attributes }: CloudRecord): { readonly namespace: string; readonly location: string } {
  return { namespace: kind.path.split("/")[0] ?? "", location: textOf(attributes["location"]) };
}

/** Throws if another operation on the resource is in progress. */
export function requireIdle({ operations }: ApiCall, record: CloudRecord): void {
  const pending = operations.findPending(record);
  if (pending === undefined) return;
  const message = `Operation is not allowed because there's an in progress ${pending.verb} operation (${pending.id}) on the resource ${record.id}.`;
  refuse("OperationNotAllowed", message, 409);
}

function checkLocation({ id, attributes }: CloudRecord, body: Readonly<Record<string, unknown>>): void {
  const [before, after] = [attributes["location"], body["location"]].map((each) => spellLocation(textOf(each)));
  if (after === "" || before === after) return;
  const message = `The resource '${id.split("/").at(-1) ?? ""}' already exists in location '${before}'. A resource with the same name cannot be created in location '${after}'. Please select a new resource name.`;
  refuse("InvalidResourceLocation", message, 409);
}

/** Returns a location's name for one of its display names, such as `eastus` for `East US`. */
export function spellLocation(location: string): string {
  return location.toLowerCase().replaceAll(/\s/g, "");
}
