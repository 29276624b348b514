import { methods, type HttpBinding, type JsonObject, type Method } from "@cloudwright/contract";

/** The arguments of a method call. */
export interface Place {
  readonly project: string;
  readonly parent: string;
  readonly name: string;
  /** The entity in create and update requests. In other requests, additional fields of the body. */
  readonly entity: JsonObject;
}

/** A REST request that calls a method. */
export interface RestRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
}

const nothing = "00000000-0000-7000-8000-000000000000";

const record = { type: "thing", id: "one" };

/** Required fields of requests whose body is not an entity, keyed by message name. */
const leastRequests: Readonly<Record<string, JsonObject>> = {
  CreateTokenRequest: { audience: "cloudwright" },
  OpenStateRequest: { uid: nothing, leaseToken: nothing },
  OpenCredentialsRequest: { uid: nothing, leaseToken: nothing },
  KeepTokenRequest: { uid: nothing, leaseToken: nothing, token: "t", expiresAt: "2026-01-01T00:00:00Z" },
  RollbackStateRequest: { version: 1 },
  AdoptResourceRequest: { address: "terraform_data.other", id: "other" },
  ForgetResourceRequest: { address: "terraform_data.one" },
  FinishTaskRequest: { uid: nothing, leaseToken: nothing, outcome: "done" },
  GetSimulatedRecordRequest: record,
  DriftSimulatedRecordRequest: { ...record, attributes: { size: 2 } },
  RemoveSimulatedRecordRequest: record,
  GetDiscoveredKubeconfigRequest: { discovery: "op-discovery", cluster: "arn:aws:eks:eu-west-1:123456789012:cluster/found" },
  UpgradeClusterRequest: { version: "1.34" },
  ManageImagesRequest: { action: "list" },
  AttachVolumeRequest: { instance: "machine" },
  FailSimulatedCallRequest: { kind: "crash", operation: "create" },
};

/** Returns one REST request for each HTTP binding of a method. */
export function listRestRequests(method: Method, place: Place): RestRequest[] {
  const least = new URLSearchParams(leastRequests[method.descriptor.input.name] as Record<string, string> | undefined);
  return listBindings(method).map((binding) => {
    const asked = binding.body === "" && least.size > 0 ? `?${least.toString()}` : "";
    const query = method.bindings.length > 0 ? asked : "?watch=true";
    const body = renderBody(method, binding, place);
    const path = binding.path.replace(/\{(\w+)\}/g, (_, field: keyof Omit<Place, "entity">) => encodeURIComponent(place[field]));
    return { method: binding.method, path: path + query, ...(body === undefined ? {} : { body }) };
  });
}

/**
 * Renders a call as a request message in JSON form. The message has the fields from the path and body of the corresponding REST request.
 */
export function renderMessage(method: Method, place: Place): JsonObject {
  const carried = listBindings(method).flatMap(({ path, body }) => [body, ...path.split(/[{}]/)]);
  const fields = Object.entries(place).filter(([name]) => carried.includes(name));
  const { entity, ...named } = Object.fromEntries(fields) as Partial<Place>;
  const least = leastRequests[method.descriptor.input.name];
  if (!carried.includes("*")) return { ...named, ...least, ...(entity === undefined ? {} : { entity }) };
  return { ...named, ...least, ...place.entity };
}

/** Returns the HTTP bindings of a method. A watch uses the path of the corresponding list. */
function listBindings(method: Method): readonly HttpBinding[] {
  if (method.bindings.length > 0) return method.bindings;
  const list = methods.find(({ verb, kind }) => verb === "list" && kind === method.kind);
  if (list === undefined) throw new Error(`${method.id} has no path`);
  return list.bindings;
}

function renderBody(method: Method, binding: HttpBinding, place: Place): JsonObject | undefined {
  if (binding.body === "") return undefined;
  return binding.body === "*" ? { ...leastRequests[method.descriptor.input.name], ...place.entity } : place.entity;
}
