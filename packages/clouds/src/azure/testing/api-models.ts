import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** An operation in Azure's API models. */
export interface ModelOperation {
  readonly method: string;
  /** The path with parameters in braces. */
  readonly path: string;
  readonly apiVersion: string;
  readonly queryNames: readonly string[];
  /** Names of the fields that the body may have. Undefined if the operation has no body. */
  readonly bodyFields?: readonly string[];
}

/** Azure's API models of AKS and Compute. */
export interface ApiModels {
  readonly operations: readonly ModelOperation[];
  /** Field names in JSON, by model. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
}

interface Mapper {
  readonly serializedName?: string;
  readonly type: { readonly modelProperties?: Readonly<Record<string, Mapper>>; readonly name: string };
}

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
        readonly requestBody?: { readonly mapper: { readonly $ref?: string } };
      }
    >
  >;
  readonly mappers: Readonly<Record<string, Mapper>>;
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
    Object.values(file.operations).map(({ httpMethod: method, path, queryParameters = [], requestBody }) => {
      const names = queryParameters.map(({ mapper }) => mapper.serializedName);
      const version = queryParameters.find(({ mapper }) => mapper.serializedName === "api-version")?.mapper.defaultValue ?? "";
      const body = requestBody?.mapper.$ref;
      const bodyFields = body === undefined ? undefined : [...(fields.get(body) ?? [])];
      return { method, path, apiVersion: version, queryNames: names, ...(bodyFields === undefined ? {} : { bodyFields }) };
    }),
  );
  return { operations, fields };
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
