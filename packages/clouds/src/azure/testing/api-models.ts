import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** An operation in Azure's API models. */
export interface ModelOperation {
  readonly method: string;
  /** The path with parameters in braces. */
  readonly path: string;
  readonly apiVersion: string;
  readonly queryNames: readonly string[];
  readonly headerNames: readonly string[];
  /** Names of the fields that the body may have. Undefined if the operation has no body. */
  readonly bodyFields?: readonly string[];
  /** Returns every way in which a body differs from the model: unknown and read-only fields, and values of the wrong type. */
  readonly findBodyProblems?: (body: unknown) => readonly string[];
}

/** Azure's API models of AKS and Compute. */
export interface ApiModels {
  readonly operations: readonly ModelOperation[];
  /** Field names in JSON, keyed by model. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
  /** Values of enumerations, keyed by name. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
}

interface Mapper {
  readonly serializedName?: string;
  readonly readOnly?: boolean;
  readonly type: MapperType;
}

interface MapperType {
  readonly name: string;
  readonly className?: string;
  readonly allowedValues?: readonly unknown[];
  readonly element?: { readonly type: MapperType };
  readonly value?: { readonly type: MapperType };
  readonly modelProperties?: Readonly<Record<string, Mapper>>;
}

type Mappers = Readonly<Record<string, Mapper>>;

interface MapperFile {
  readonly operations: Readonly<
    Record<
      string,
      {
        readonly httpMethod: string;
        readonly path: string;
        readonly queryParameters?: readonly {
          readonly mapper: { readonly serializedName: string; readonly defaultValue?: string };
        }[];
        readonly headerParameters?: readonly { readonly mapper: { readonly serializedName: string } }[];
        readonly requestBody?: { readonly mapper: { readonly $ref?: string } };
      }
    >
  >;
  readonly mappers: Mappers;
  readonly knownEnums: Readonly<Record<string, readonly string[]>>;
}

interface PandoraFile {
  readonly groups: Readonly<
    Record<string, { readonly models: Readonly<Record<string, { readonly fields: readonly { readonly jsonName: string }[] }>> }>
  >;
}

/** Reads the API models, or returns undefined if they are not on this machine. */
export function readApiModels(): ApiModels | undefined {
  const folder = findFolder();
  if (folder === undefined) return undefined;
  const read = <File>(name: string): File => JSON.parse(readFileSync(join(folder, name), "utf8")) as File;
  const files = ["aks-operations-mappers.json", "compute-operations-mappers.json"].map((name) => read<MapperFile>(name));
  const fields = new Map<string, Set<string>>();
  const add = (model: string, name: string): unknown => fields.set(model, (fields.get(model) ?? new Set()).add(name));
  for (const { mappers } of files) {
    for (const [model, { type }] of Object.entries(mappers)) {
      for (const { serializedName = "" } of Object.values(type.modelProperties ?? {})) {
        const [name = "", inside] = serializedName.split(".");
        add(model, name);
        if (inside !== undefined) add(`${model}Properties`, inside);
      }
    }
  }
  for (const { models } of Object.values(read<PandoraFile>("pandora-containerservice-2026-04-01.json").groups)) {
    for (const [model, { fields: own }] of Object.entries(models)) for (const { jsonName } of own) add(model, jsonName);
  }
  const operations = files.flatMap((file) =>
    Object.values(file.operations).map(
      ({ httpMethod: method, path, queryParameters = [], headerParameters = [], requestBody }) => {
        const names = queryParameters.map(({ mapper }) => mapper.serializedName);
        const version = queryParameters.find(({ mapper }) => mapper.serializedName === "api-version")?.mapper.defaultValue ?? "";
        const body = requestBody?.mapper.$ref;
        const bodyFields = body === undefined ? undefined : [...(fields.get(body) ?? [])];
        return {
          method,
          path,
          apiVersion: version,
          queryNames: names,
          headerNames: headerParameters.map(({ mapper }) => mapper.serializedName.toLowerCase()),
          ...(bodyFields === undefined ? {} : { bodyFields }),
          ...(body === undefined ? {} : { findBodyProblems: (given: unknown) => findProblems(file.mappers, body, given, "") }),
        };
      },
    ),
  );
  const enums = new Map(files.flatMap(({ knownEnums }) => Object.entries(knownEnums)));
  return { operations, fields, enums };
}

/** The models are stored next to the repository, in `shared/data`. */
function findFolder(): string | undefined {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, "shared/data/cloud-apis/azure");
    if (existsSync(found)) return found;
  }
  return undefined;
}

/** Finds the operation that a request addresses. */
export function findOperation(models: ApiModels, method: string, path: string): ModelOperation | undefined {
  return models.operations.find((operation) => {
    const pattern = operation.path.replaceAll(/\{\w+\}/g, "[^/]+");
    return operation.method === method && new RegExp(`^${pattern}$`, "i").test(path);
  });
}

/** Compares an object with a model. Fields of a model may be nested: the serialized name is then a path such as `properties.count`. */
function findProblems(mappers: Mappers, model: string, given: unknown, at: string, prefix = ""): string[] {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return [`${at || "body"} is not an object`];
  const all = Object.values(mappers[model]?.type.modelProperties ?? {});
  return Object.entries(given).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    const place = `${at}/${name}`;
    const exact = all.find(({ serializedName }) => serializedName === path);
    if (exact?.readOnly === true) return [`${place} is read-only`];
    if (exact !== undefined) return findTypeProblems(mappers, exact.type, value, place);
    const isNested = all.some(({ serializedName = "" }) => serializedName.startsWith(`${path}.`));
    return isNested ? findProblems(mappers, model, value, place, `${path}.`) : [`${place} is unknown`];
  });
}

function findTypeProblems(mappers: Mappers, type: MapperType, value: unknown, at: string): string[] {
  const { name, className = "", element, value: inner, allowedValues } = type;
  const check = (isValid: boolean): string[] => (isValid ? [] : [`${at} is not a ${name}: ${JSON.stringify(value)}`]);
  if (name === "Composite") return findProblems(mappers, className, value, at);
  if (name === "Sequence" && element !== undefined)
    return Array.isArray(value)
      ? value.flatMap((each, index) => findTypeProblems(mappers, element.type, each, `${at}/${index}`))
      : check(false);
  if (name === "Dictionary" && inner !== undefined) {
    if (typeof value !== "object" || value === null) return check(false);
    return Object.entries(value).flatMap(([key, each]) => findTypeProblems(mappers, inner.type, each, `${at}/${key}`));
  }
  if (name === "Enum") return check(allowedValues?.includes(value) === true);
  if (name === "Number") return check(typeof value === "number");
  if (name === "Boolean") return check(typeof value === "boolean");
  return name === "String" ? check(typeof value === "string") : [];
}
