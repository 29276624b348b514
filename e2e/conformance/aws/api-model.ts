import { isObject, type Json, type JsonObject } from "@cloudwright/platform";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface Shape {
  readonly type: string;
  readonly members?: Readonly<Record<string, Member>>;
  readonly required?: readonly string[];
  readonly member?: { readonly shape: string };
  readonly key?: { readonly shape: string };
  readonly value?: { readonly shape: string };
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly min?: number;
  readonly max?: number;
}

interface Member {
  readonly shape: string;
  readonly location?: string;
  readonly locationName?: string;
}

interface ModelFile {
  readonly operations: Readonly<
    Record<
      string,
      {
        readonly http: { readonly method: string; readonly requestUri: string };
        readonly input?: { readonly shape: string };
        readonly output?: { readonly shape: string };
      }
    >
  >;
  readonly shapes: Readonly<Record<string, Shape>>;
}

/** A request in terms of AWS's API model: an operation and its input. */
export interface ModelCall {
  readonly operation: string;
  readonly input: JsonObject;
}

/** AWS's API model of one service that uses the REST JSON protocol. */
export interface ApiModel {
  /** Returns the operation that a request calls, with its input. Returns undefined if the service has no such operation. */
  match(method: string, path: string, query: URLSearchParams, body: JsonObject): ModelCall | undefined;
  /** Lists how an operation's input violates the model. */
  listWrongInput(call: ModelCall): string[];
  /** Lists how an operation's output violates the model. */
  listWrongOutput(operation: string, output: JsonObject): string[];
}

/** Reads the model of a service, for example `eks`. Returns undefined if the reference data is not on this machine. */
export function readApiModel(service: string): ApiModel | undefined {
  const file = findFile(`shared/data/cloud-apis/aws/${service}.json`);
  if (file === undefined) return undefined;
  const { operations, shapes } = JSON.parse(readFileSync(file, "utf8")) as ModelFile;
  const routes = Object.entries(operations).map(([operation, { http }]) => ({
    operation,
    method: http.method,
    names: [...http.requestUri.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
    path: new RegExp(`^${http.requestUri.replaceAll(/\{\w+\}/g, "([^/]+)")}$`),
  }));

  function readInput(operation: string, inPath: Readonly<Record<string, string>>, query: URLSearchParams): JsonObject {
    const members = Object.entries(shapes[operations[operation]?.input?.shape ?? ""]?.members ?? {});
    return Object.fromEntries(
      members.flatMap(([name, { shape, location, locationName = name }]): [string, Json][] => {
        const text = location === "uri" ? inPath[locationName] : query.get(locationName);
        if (location === undefined || text === undefined || text === null) return [];
        const type = shapes[shape]?.type ?? "string";
        return [[name, type === "list" ? query.getAll(locationName) : type === "boolean" ? text === "true" : text]];
      }),
    );
  }

  function listWrong(name: string, value: Json, at: string): string[] {
    const shape = shapes[name];
    if (shape === undefined) return [`${at} has the unknown shape ${name}`];
    switch (shape.type) {
      case "structure":
        return isObject(value) ? listWrongMembers(shape, value, at) : [`${at} must be an object`];
      case "list":
        if (!Array.isArray(value)) return [`${at} must be a list`];
        return value.flatMap((each, index) => listWrong(shape.member?.shape ?? "", each, `${at}[${index}]`));
      case "map":
        if (!isObject(value)) return [`${at} must be a map`];
        return Object.entries(value).flatMap(([key, each]) => [
          ...listWrong(shape.key?.shape ?? "", key, `${at} key ${key}`),
          ...listWrong(shape.value?.shape ?? "", each ?? null, `${at}.${key}`),
        ]);
      default:
        return listWrongScalar(shape, value, at);
    }
  }

  function listWrongMembers({ members = {}, required = [] }: Shape, value: JsonObject, at: string): string[] {
    return [
      ...required.filter((name) => value[name] === undefined).map((name) => `${at}.${name} is required`),
      ...Object.entries(value).flatMap(([name, each]) => {
        const member = members[name];
        return member === undefined ? [`${at} has no ${name}`] : listWrong(member.shape, each ?? null, `${at}.${name}`);
      }),
    ];
  }

  return {
    match(method, path, query, body) {
      for (const route of routes.filter((each) => each.method === method)) {
        const values = route.path.exec(path)?.slice(1);
        if (values === undefined) continue;
        const inPath = Object.fromEntries(route.names.map((name, index) => [name, decodeURIComponent(values[index] ?? "")]));
        return { operation: route.operation, input: { ...body, ...readInput(route.operation, inPath, query) } };
      }
      return undefined;
    },
    listWrongInput({ operation, input }) {
      const shape = operations[operation]?.input?.shape;
      return shape === undefined ? [] : listWrong(shape, input, operation);
    },
    listWrongOutput(operation, output) {
      const shape = operations[operation]?.output?.shape;
      return shape === undefined ? [] : listWrong(shape, output, `the response of ${operation}`);
    },
  };
}

const typeOf: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "boolean",
  integer: "number",
  long: "number",
  double: "number",
  timestamp: "number",
};

function listWrongScalar({ type, enum: values, pattern, min, max }: Shape, value: Json, at: string): string[] {
  if (typeof value !== typeOf[type]) return [`${at} must have the type ${type}`];
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const size = typeof value === "string" ? value.length : Number(value);
  return [
    ...(values !== undefined && !values.includes(text) ? [`${at} must be one of ${values.join(", ")}`] : []),
    ...(pattern !== undefined && !new RegExp(`^(?:${pattern})$`).test(text) ? [`${at} must match ${pattern}`] : []),
    ...(min !== undefined && size < min ? [`${at} must be at least ${min}`] : []),
    ...(max !== undefined && size > max ? [`${at} must be at most ${max}`] : []),
  ];
}

/** Looks for a file relative to this directory and each of its ancestors. */
function findFile(name: string): string | undefined {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const found = join(folder, name);
    if (existsSync(found)) return found;
    if (folder === dirname(folder)) return undefined;
  }
}
