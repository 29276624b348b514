import { create, type DescField } from "@bufbuild/protobuf";
import { getKind, isEntityKind, type HttpBinding, type Json, type JsonObject, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import type { FastifyRequest } from "fastify";
import { mergeWith, preconditionOf, readMasked, replaceWith } from "../../entities/changes.ts";
import { decode, invalid, requireNames, requireValid } from "../../calls/decode.ts";
import { apiFaults } from "../../faults.ts";
import type { MethodInput } from "../../calls/invoke.ts";
import { isObject, textAt } from "../../entities/json-tree.ts";
import { parseQuery, queryFields } from "./query.ts";

/** Converts an HTTP request to a method's input. `path` contains the path parameters. */
export type ReadInput = (request: FastifyRequest, path: Readonly<Record<string, string>>) => Partial<MethodInput>;

/** Creates the input reader for one HTTP binding of a method. Runs once per binding, at startup. */
export function createInputReader(method: Method, binding: HttpBinding): ReadInput {
  const schema = method.descriptor.input;
  const inPath = new Set([...binding.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string));
  const taken = new Set([
    ...inPath,
    ...(binding.body === "" || binding.body === "*" ? [] : [binding.body]),
    ...unused(method, binding, inPath),
  ]);
  const fields: ReadonlyMap<string, DescField> = binding.body === "*" ? new Map() : queryFields(schema, taken);

  const readFields = (request: FastifyRequest, path: Readonly<Record<string, string>>): Record<string, unknown> => {
    const values = { ...parseQuery(fields, request.query as Record<string, unknown>), ...path };
    if (binding.body === "") requireValid(schema, create(schema, values as never), "the request");
    else requireNames(values);
    return values;
  };
  if (binding.body === "*") {
    return (request, path) => {
      parseQuery(fields, request.query as Record<string, unknown>);
      const body = request.body ?? {};
      if (!isObject(body)) throw invalid("the body", [{ field: "", message: "must be an object" }]);
      return decode(schema, { ...(body as Record<string, Json>), ...path }, "the request") as Partial<MethodInput>;
    };
  }
  if (binding.body === "") {
    return (request, path) => {
      const values = readFields(request, path);
      return method.verb === "delete"
        ? { ...values, resourceVersion: ifMatch(request) || textAt(values as JsonObject, "resourceVersion") }
        : values;
    };
  }
  if (method.verb === "create") {
    return (request, path) => ({
      ...readFields(request, path),
      entity: requireBody(request),
      idempotencyKey: idempotencyKey(request),
    });
  }
  if (method.verb === "preflight") return (request, path) => ({ ...readFields(request, path), entity: requireBody(request) });
  return (request, path) => {
    const values = readFields(request, path);
    const sent = requireBody(request);
    const mask =
      typeof values["updateMask"] === "string" && values["updateMask"] !== "" ? values["updateMask"].split(",") : undefined;
    const precondition = ifMatch(request) || preconditionOf(sent);
    if (mask !== undefined) return { ...values, ...readMasked(method.kind, sent, mask), precondition };
    const change = binding.method === "PUT" ? replaceWith(sent) : mergeWith(sent);
    return { ...values, sent, change, precondition };
  };
}

/** Returns the fields of the shared request messages that do not apply to this method. */
function unused(method: Method, binding: HttpBinding, inPath: ReadonlySet<string>): string[] {
  const parentFilters = method.verb === "list" && isEntityKind(method.kind) && getKind(method.kind).parent !== undefined;
  return [
    ...(inPath.has("project") ? [] : ["project"]),
    ...(inPath.has("parent") || parentFilters ? [] : ["parent"]),
    ...(method.verb === "update" && binding.method === "PATCH" ? ["allowMissing"] : []),
    ...(method.verb === "delete" && !getKind(method.kind).provisioned ? ["force", "volumes"] : []),
    ...(method.verb === "delete" && getKind(method.kind).hasRemovalPreview !== true ? ["preview"] : []),
  ];
}

function requireBody(request: FastifyRequest): Json {
  if (request.body === undefined || request.body === null) throw new Fault(apiFaults.bad_json, "the request has no body");
  return request.body as Json;
}

function ifMatch(request: FastifyRequest): string {
  const value = request.headers["if-match"];
  return value === undefined || value === "*" ? "" : value.replace(/^(W\/)?"|"$/g, "");
}

function idempotencyKey(request: FastifyRequest): string | undefined {
  const value = request.headers["idempotency-key"];
  if (value === undefined) return undefined;
  if (typeof value === "string" && value.length > 0 && value.length <= 128) return value;
  throw invalid("the request", [{ field: "Idempotency-Key", message: "must have 1 to 128 characters" }]);
}
