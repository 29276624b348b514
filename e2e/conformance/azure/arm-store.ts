import { parseResourceId } from "./resource-id.ts";

type Json = Record<string, unknown>;

/** A resource as Azure Resource Manager returns it. */
export interface Resource {
  id: string;
  name: string;
  type: string;
  location?: string;
  tags?: Record<string, string> | null;
  // The properties differ by resource type. Each type's file knows its own properties. oxlint-disable-next-line typescript/no-explicit-any
  properties: any;
  // oxlint-disable-next-line typescript/no-explicit-any
  [field: string]: any;
}

/** The resources of one subscription. Ids are case-insensitive. */
export interface ArmStore {
  get(id: string): Resource | undefined;
  put(resource: Resource): void;
  remove(id: string): void;
  /** Returns the resources of a type, which is given in lower case. `below` limits them to descendants of that id. */
  list(type: string, below?: string): Resource[];
  listAll(): Resource[];
}

export function createArmStore(): ArmStore {
  const resources = new Map<string, Resource>();
  const typeOf = (resource: Resource): string => parseResourceId(resource.id).type;
  return {
    get: (id) => resources.get(id.toLowerCase()),
    put: (resource) => void resources.set(resource.id.toLowerCase(), resource),
    remove(id) {
      for (const key of resources.keys()) {
        if (key === id.toLowerCase() || key.startsWith(`${id.toLowerCase()}/`)) resources.delete(key);
      }
    },
    list: (type, below = "") =>
      [...resources]
        .filter(([key, resource]) => typeOf(resource) === type && key.startsWith(`${below.toLowerCase()}/`))
        .map(([, resource]) => resource),
    listAll: () => [...resources.values()],
  };
}

/** Returns a deep copy of a JSON value. */
export function copy<Value>(value: Value): Value {
  return structuredClone(value);
}

/** Merges objects recursively, as a PATCH does. Null removes a field, and `tags` are replaced as a whole. */
export function merge(target: Json, change: Json): Json {
  const merged = { ...target };
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete merged[key];
    else if (isObject(value) && isObject(merged[key]) && key !== "tags") merged[key] = merge(merged[key], value);
    else merged[key] = value;
  }
  return merged;
}

/** Sets absent fields to their defaults, recursively. Null counts as absent. */
export function fill(target: Json, defaults: Json): void {
  for (const [key, value] of Object.entries(defaults)) {
    if (target[key] === undefined || target[key] === null) target[key] = value;
    else if (isObject(value) && isObject(target[key])) fill(target[key], value);
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
