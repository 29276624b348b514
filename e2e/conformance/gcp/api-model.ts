import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isResource, type ApiRequest } from "./reply.ts";

interface Property {
  readonly type?: string;
  readonly $ref?: string;
  readonly enum?: readonly string[];
  readonly items?: Property;
  readonly properties?: Readonly<Record<string, Property>>;
  readonly additionalProperties?: Property;
}

interface Method {
  readonly httpMethod: string;
  readonly path: string;
  readonly flatPath?: string;
  readonly request?: { readonly $ref: string };
}

interface Section {
  readonly methods?: Readonly<Record<string, Method>>;
  readonly resources?: Readonly<Record<string, Section>>;
}

interface Discovery extends Section {
  readonly servicePath: string;
  readonly schemas: Readonly<Record<string, Property>>;
}

// The provider sends these fields regardless of the configuration, but Google's published API descriptions omit them.
const undescribed = new Set(["deleteBgpAlwaysCompareMed", "initialNatIps"]);

/** Google's machine-readable description of an API (a discovery document). */
export interface ApiModel {
  /** Returns a message for each part of a request that the API description does not allow. */
  listForbidden(request: ApiRequest): string[];
}

/** Reads the description of an API such as `compute.v1`. Strips `prefix` from its paths, because request paths do not include it. */
export function readApiModel(api: string, prefix: string): ApiModel {
  const { schemas, ...root } = JSON.parse(readFileSync(findFile(api), "utf8")) as Discovery;
  const routes = listMethods(root).map(({ httpMethod, path, flatPath = path, request }) => ({
    httpMethod,
    pattern: new RegExp(`^${flatPath.replace(prefix, "").replaceAll(/\{[^}]+\}/g, "[^/:]+")}$`),
    schema: request?.$ref,
  }));

  function check(property: Property, value: unknown, at: string): string[] {
    if (value === null || value === undefined) return [];
    const { $ref: name = "" } = property;
    const { type, items, enum: allowed, properties, additionalProperties } = schemas[name] ?? property;
    if (type === "array") {
      if (!Array.isArray(value)) return [`${at} must be a list`];
      return value.flatMap((each, index) => check(items ?? {}, each, `${at}[${index}]`));
    }
    if (type === "object") {
      if (!isResource(value)) return [`${at} must be an object`];
      return Object.entries(value).flatMap(([key, inner]) => {
        const known = properties?.[key] ?? additionalProperties;
        return known === undefined && !undescribed.has(key)
          ? [`${at} has the unknown field ${key}`]
          : check(known ?? {}, inner, `${at}.${key}`);
      });
    }
    if (allowed !== undefined && !(typeof value === "string" && allowed.includes(value)))
      return [`${at} must not be ${JSON.stringify(value)}`];
    if (type === "boolean" && typeof value !== "boolean") return [`${at} must be a boolean`];
    return [];
  }

  return {
    listForbidden({ method, path, body }) {
      const route = routes.find(({ httpMethod, pattern }) => httpMethod === method && pattern.test(path));
      if (route === undefined) return [`${method} ${path} is not a method of the API`];
      return route.schema === undefined ? [] : check({ $ref: route.schema }, body, route.schema);
    },
  };
}

function listMethods({ methods = {}, resources = {} }: Section): Method[] {
  return [...Object.values(methods), ...Object.values(resources).flatMap(listMethods)];
}

/**
 * Finds an API description in the `shared/data` folder of the nearest parent folder that has one. The descriptions are not part of the
 * repository.
 */
function findFile(name: string): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, `shared/data/cloud-apis/gcp/${name}.json`);
    if (existsSync(found)) return found;
  }
  throw new Error(`Google's description of ${name} is not on this machine`);
}
