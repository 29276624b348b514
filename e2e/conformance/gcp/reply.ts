/** A JSON object in a request or response of an API. */
export type Resource = Record<string, unknown>;

/** A complete request to one of the services, with a parsed body. */
export interface ApiRequest {
  readonly method: string;
  /** Path relative to the service's base address, for example `projects/p/global/networks`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Resource;
}

/** An error that the server returns as a response in Google's format. */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: string;
  constructor(status: number, message: string, reason = "invalid") {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** Handles requests to one service. Throws a Refusal if the real service would reject the request. */
export type Service = (request: ApiRequest) => Resource;

/** Returns a 404 error for a resource. */
export function notFound(name: string): Refusal {
  return new Refusal(404, `The resource '${name}' was not found`, "notFound");
}

/** Returns the member `key` if it is an object, and an empty object otherwise. */
export function objectAt(resource: Resource, key: string): Resource {
  const value = resource[key];
  return isResource(value) ? value : {};
}

/** Returns the objects in the member `key` if it is a list, and an empty list otherwise. */
export function listAt(resource: Resource, key: string): Resource[] {
  const value = resource[key];
  return Array.isArray(value) ? value.filter(isResource) : [];
}

/** Returns the member `key` if it is a string, and an empty string otherwise. */
export function textAt(resource: Resource, key: string): string {
  const value = resource[key];
  return typeof value === "string" ? value : "";
}

export function isResource(value: unknown): value is Resource {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Applies a JSON merge patch (RFC 7396): null removes a member, and objects are merged. */
export function mergePatch(target: Resource, patch: Resource): Resource {
  const merged = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = isResource(value) ? mergePatch(objectAt(merged, key), value) : value;
  }
  return merged;
}

/** Returns a copy without members that are null. */
export function dropNulls(resource: Resource): Resource {
  return mergePatch({}, resource);
}
