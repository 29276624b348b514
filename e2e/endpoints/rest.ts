import { fromJson, toJson } from "@bufbuild/protobuf";
import type { HttpBinding, Json } from "@cloudwright/contract";
import { readEvents } from "../event-stream.ts";
import { getMethod, type Call, type Endpoint, type Outcome, type Refusal } from "./endpoint.ts";

/** One REST request and its response, to be checked against the OpenAPI description. */
export interface Exchange {
  readonly method: string;
  /** Path template from the OpenAPI description, such as `/v1/projects/{project}/accounts`. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Json;
}

/** Creates an endpoint that uses REST with `fetch`. */
export function createRestEndpoint(address: string, observe: (exchange: Exchange) => void): Endpoint {
  return {
    name: "REST",
    async call(call) {
      const binding = chooseBinding(call);
      const response = await fetch(...toRequest(address, binding, call));
      const body = (await response.json()) as Json;
      const contentType = response.headers.get("content-type") ?? "";
      observe({ method: binding.method, path: binding.path, status: response.status, contentType, body });
      return response.ok ? canonical(call, body) : { refusal: toRefusal(response.status, body as unknown as Problem) };
    },
    async *watch(call, signal) {
      const [url, init] = toRequest(address, watchBinding(call), call);
      const response = await fetch(url, { ...init, signal });
      if (!response.ok) throw new Error(`${url.href}: ${response.status} ${await response.text()}`);
      for await (const { data } of readEvents(response)) yield data;
    },
    close: () => undefined,
  };
}

/** An update with a field mask is a PATCH. Without a mask, it is a PUT, which replaces the entity. */
function chooseBinding({ method: operation, request }: Call): HttpBinding {
  const wanted = operation.verb === "update" && request["updateMask"] === undefined ? "PUT" : undefined;
  const binding = operation.bindings.find(({ method }) => wanted === undefined || method === wanted);
  if (binding === undefined) throw new Error(`${operation.id} is not served over REST`);
  return binding;
}

/** Returns the path of a watch. For most watches it is the list path with `watch=true`. */
function watchBinding({ method: operation }: Call): HttpBinding {
  const [own] = operation.bindings;
  if (own !== undefined) return own;
  const [list] = getMethod(operation.descriptor.name.replace(/^Watch/, "List")).bindings;
  if (list === undefined) throw new Error(`${operation.id} is not served over REST`);
  return { ...list, path: `${list.path}?watch=true` };
}

function toRequest(address: string, binding: HttpBinding, call: Call): [url: URL, init: RequestInit] {
  const rest = { ...call.request };
  const path = binding.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(value as string);
  });
  const url = new URL(path, address);
  let body: Json | undefined;
  if (binding.body === "*") body = rest;
  else {
    body = rest[binding.body];
    delete rest[binding.body];
    for (const [name, value] of Object.entries(rest))
      url.searchParams.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  const headers = new Headers();
  if (call.credential !== undefined) headers.set("authorization", `Bearer ${call.credential}`);
  if (call.idempotencyKey !== undefined) headers.set("idempotency-key", call.idempotencyKey);
  if (body !== undefined) headers.set("content-type", "application/json");
  return [url, { method: binding.method, headers, body: body === undefined ? null : JSON.stringify(body) }];
}

/** Converts a response to canonical JSON. Responses may omit fields that have their default value. */
function canonical({ method: operation }: Call, body: Json): Outcome {
  const { output } = operation.descriptor;
  return { answer: toJson(output, fromJson(output, body), { alwaysEmitImplicit: true }) };
}

const grpcCodes: Readonly<Record<number, number>> = { 400: 3, 401: 16, 403: 7, 404: 5, 409: 10, 410: 11, 429: 8, 503: 14 };
const standard = new Set(["type", "title", "status", "detail", "instance", "code", "help", "retry", "requestId", "fields"]);

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly help: string;
  readonly fields: Refusal["fields"];
}

function toRefusal(status: number, problem: Problem): Refusal {
  const extra = Object.entries(problem).filter(([name]) => !standard.has(name)) as [string, string | number | boolean][];
  return {
    code: problem.code,
    message: problem.detail,
    help: problem.help,
    grpcCode: grpcCodes[status] ?? 13,
    fields: problem.fields,
    extra: Object.fromEntries(extra.map(([name, value]) => [name, String(value)])),
  };
}
