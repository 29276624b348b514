import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";

/** A schema in an API description. */
export interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
}

/** A method in an API description. */
export interface Method {
  readonly id: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly flatPath?: string;
  readonly request?: Schema;
  readonly response?: Schema;
}

interface Resource {
  readonly resources?: Readonly<Record<string, Resource>>;
  readonly methods?: Readonly<Record<string, Method>>;
}

/** The published description of one service. */
export interface ApiModel extends Resource {
  readonly servicePath: string;
  readonly schemas: Readonly<Record<string, Schema>>;
}

const folder = join(processEnvironment["CLOUDWRIGHT_REFERENCE_DATA"] ?? "", "cloud-apis", "gcp");

/** Whether the API descriptions are available on this machine. */
export const hasModels: boolean = existsSync(join(folder, "container.v1.json"));

if (!hasModels) {
  console.log(
    "skipped the comparison with Google Cloud's API models: CLOUDWRIGHT_REFERENCE_DATA names no folder with cloud-apis/gcp/container.v1.json",
  );
}

/** Reads the description of a service. */
export function readModel(service: string): ApiModel {
  return JSON.parse(readFileSync(join(folder, `${service}.v1.json`), "utf8")) as ApiModel;
}

/** Returns the methods of a service, keyed by id. */
export function listMethods(resource: Resource): ReadonlyMap<string, Method> {
  const own = Object.values(resource.methods ?? {}).map((method): [string, Method] => [method.id, method]);
  return new Map([...own, ...Object.values(resource.resources ?? {}).flatMap((each) => [...listMethods(each)])]);
}

/** Lists the mismatches between a value and a schema. */
export function listStrange({ schemas }: ApiModel, schema: Schema, value: unknown, path: string): string[] {
  const own = schema.$ref === undefined ? schema : (schemas[schema.$ref] ?? {});
  const check = (inner: Schema, each: unknown, at: string): string[] =>
    listStrange({ schemas, servicePath: "" }, inner, each, at);
  if (value === undefined) return [];
  if (Array.isArray(value)) {
    return own.type === "array" ? value.flatMap((each) => check(own.items ?? {}, each, `${path}[]`)) : [`${path} is not a list`];
  }
  if (typeof value === "object" && value !== null) {
    if (own.type !== "object") return [`${path} is not an object`];
    return Object.entries(value).flatMap(([name, each]) => {
      const field = own.properties?.[name] ?? own.additionalProperties;
      return field === undefined ? [`${path} has no ${name}`] : check(field, each, `${path}.${name}`);
    });
  }
  if (own.enum !== undefined && !own.enum.some((word) => word === value)) return [`${path} cannot be ${JSON.stringify(value)}`];
  const type = own.type === "integer" ? "number" : own.type;
  return type === undefined || type === "any" || typeof value === type ? [] : [`${path} is not of type ${type}`];
}

/** Returns the schema at a dotted path of fields, or undefined if there is none. */
export function findField(model: ApiModel, schema: Schema, [name, ...rest]: readonly string[]): Schema | undefined {
  const own = schema.$ref === undefined ? schema : model.schemas[schema.$ref];
  if (name === undefined) return own;
  const field = own?.properties?.[name];
  return field === undefined ? undefined : findField(model, field, rest);
}
