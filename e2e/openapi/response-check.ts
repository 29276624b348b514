import type { Json } from "@cloudwright/contract";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Exchange } from "../endpoints/rest.ts";

/** Checks responses against the OpenAPI description that the server publishes. */
export interface ResponseCheck {
  see(exchange: Exchange): void;
  /** Returns the number of checked responses. */
  count(): number;
  complaints(): readonly string[];
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> }>>>>;
}

/** Reads the OpenAPI description of a running server. A status that only `default` covers counts as undocumented. */
export async function createResponseCheck(address: string): Promise<ResponseCheck> {
  const description = (await (await fetch(`${address}/openapi.json`)).json()) as Description;
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { "date-time": isTime, "uri-reference": true, int32: true, double: true },
  });
  ajv.addSchema(description, "description");
  const validators = new Map<string, ValidateFunction>();
  const validate = (pointer: string, value: Json): string[] => {
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `description#${pointer}` });
    validators.set(pointer, known);
    return known(value) ? [] : (known.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ""}`);
  };
  const complaints: string[] = [];
  let count = 0;
  return {
    see(exchange) {
      count += 1;
      const pointer = findSchema(description, exchange);
      const found = pointer === undefined ? ["is not documented"] : validate(pointer, exchange.body);
      const { method, path, status, contentType } = exchange;
      complaints.push(...found.map((complaint) => `${method} ${path} ${status} ${contentType}: ${complaint}`));
    },
    count: () => count,
    complaints: () => complaints,
  };
}

/** Returns the location of a response's schema in the description, or undefined if the response is not documented. */
function findSchema(description: Description, { method, path, status, contentType }: Exchange): string | undefined {
  const media = contentType.split(";")[0] ?? "";
  const operation = description.paths[path]?.[method.toLowerCase()];
  const response = operation?.responses[status] as { $ref?: string } | undefined;
  if (response === undefined) return undefined;
  const place = response.$ref?.slice(1) ?? toPointer("paths", path, method.toLowerCase(), "responses", String(status));
  const content = lookUp(description, place) as { content?: Readonly<Record<string, unknown>> };
  return content.content?.[media] === undefined ? undefined : place + toPointer("content", media, "schema");
}

function toPointer(...names: string[]): string {
  return names.map((name) => `/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");
}

function lookUp(value: unknown, pointer: string): unknown {
  const names = pointer
    .split("/")
    .slice(1)
    .map((name) => decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce((current, name) => (current as Readonly<Record<string, unknown>>)[name], value);
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}
