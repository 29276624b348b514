import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";

interface MapperType {
  readonly name: string;
  readonly className?: string;
  readonly allowedValues?: readonly unknown[];
  readonly element?: { readonly type: MapperType };
  readonly value?: { readonly type: MapperType };
  readonly modelProperties?: Readonly<Record<string, { readonly serializedName: string; readonly type: MapperType }>>;
}

interface BodyMapper {
  readonly $ref?: string;
  readonly type?: MapperType;
}

/** An operation in the description of a service. */
export interface ModelOperation {
  readonly httpMethod: string;
  readonly path: string;
  readonly responses: Readonly<Record<string, { readonly bodyMapper?: BodyMapper }>>;
}

/** The published description of one service. */
export interface ApiModel {
  readonly operations: Readonly<Record<string, ModelOperation>>;
  readonly mappers: Readonly<Record<string, { readonly type: MapperType }>>;
}

const folder = join(processEnvironment["CLOUDWRIGHT_REFERENCE_DATA"] ?? "", "cloud-apis", "azure");

/** Whether the API descriptions are available on this machine. */
export const hasModels: boolean = existsSync(join(folder, "aks-operations-mappers.json"));

if (!hasModels) {
  const file = "cloud-apis/azure/aks-operations-mappers.json";
  console.log(`skipped the comparison with Azure API models: CLOUDWRIGHT_REFERENCE_DATA names no folder with ${file}`);
}

/** Reads the description of a service: `aks` or `compute`. */
export function readModel(service: string): ApiModel {
  return JSON.parse(readFileSync(join(folder, `${service}-operations-mappers.json`), "utf8")) as ApiModel;
}

/** Finds an operation by its method and path. Parameters may have other names. */
export function findOperation(model: ApiModel, method: string, path: string): readonly [string, ModelOperation] | undefined {
  const plain = (text: string): string => text.replaceAll(/\{\w+\}/g, "{}").toLowerCase();
  return Object.entries(model.operations).find(([, each]) => each.httpMethod === method && plain(each.path) === plain(path));
}

/** Lists the mismatches between the body of a reply and its operation's description. */
export function listStrange(model: ApiModel, operation: ModelOperation, status: number, body: unknown): string[] {
  const response = operation.responses[String(status)];
  if (response === undefined) return [`the status ${status} is not described`];
  const { bodyMapper } = response;
  if (bodyMapper === undefined) return [];
  const type = bodyMapper.$ref === undefined ? bodyMapper.type : model.mappers[bodyMapper.$ref]?.type;
  return type === undefined ? [] : compare(model, type, body, "");
}

function compare(model: ApiModel, type: MapperType, value: unknown, path: string): string[] {
  if (value === undefined || value === null) return [];
  const wrong = (what: string): string[] => [`${path} is not ${what}`];
  switch (type.name) {
    case "Composite":
      return typeof value === "object" && !Array.isArray(value) ? compareObject(model, type, value, path) : wrong("an object");
    case "Sequence":
      return Array.isArray(value)
        ? value.flatMap((each: unknown) => (type.element ? compare(model, type.element.type, each, `${path}[]`) : []))
        : wrong("a list");
    case "Dictionary":
      return typeof value === "object" && !Array.isArray(value)
        ? Object.values(value).flatMap((each) => (type.value ? compare(model, type.value.type, each, `${path}{}`) : []))
        : wrong("a map");
    case "Enum":
      return type.allowedValues?.includes(value) === true ? [] : [`${path} cannot be ${JSON.stringify(value)}`];
    case "String":
    case "Uuid":
    case "ByteArray":
      return typeof value === "string" ? [] : wrong("a text");
    case "Number":
      return typeof value === "number" ? [] : wrong("a number");
    case "Boolean":
      return typeof value === "boolean" ? [] : wrong("a boolean");
    case "Date":
    case "DateTime":
      return typeof value !== "string" || Number.isNaN(Date.parse(value)) ? wrong("a time") : [];
    default:
      return [];
  }
}

// The descriptions flatten nested objects: `properties.provisioningState` is a field of the resource.
function compareObject(model: ApiModel, type: MapperType, value: object, path: string): string[] {
  const named = type.modelProperties ?? model.mappers[type.className ?? ""]?.type.modelProperties;
  if (named === undefined) return [];
  const fields = Object.values(named).map(({ serializedName, type: inner }) => ({ names: serializedName.split("."), inner }));
  const walk = (given: object, depth: readonly string[]): string[] =>
    Object.entries(given).flatMap(([name, each]: [string, unknown]) => {
      const names = [...depth, name];
      const here = `${path}.${names.join(".")}`;
      const found = fields.find((field) => field.names.join(".") === names.join("."));
      if (found !== undefined) return compare(model, found.inner, each, here);
      const isParent = fields.some((field) => field.names.slice(0, names.length).join(".") === names.join("."));
      if (!isParent) return [`${here} does not exist`];
      return typeof each === "object" && each !== null ? walk(each, names) : [`${here} is not an object`];
    });
  return walk(value, []);
}
