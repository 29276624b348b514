import type { Json } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { apiFaults } from "../../faults.ts";
import { isDeeperThan } from "../../entities/json-tree.ts";
import type { BodyBudget, HeldBody } from "../bodies/body-budget.ts";
import { countValues } from "../../entities/count-values.ts";
import { receiveBody } from "../bodies/receive-body.ts";
import { pacedBytes } from "../pace.ts";

/** Size limit for request bodies. */
export const maxBodyBytes = 1024 * 1024;
/** Limit for the number of values in a body. Processing more would occupy the server for too long. */
export const maxBodyValues = 20_000;
const maxDepth = 64;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** A body that the server may receive, the caller it counts against, and its size limit. */
interface Allowed {
  readonly held: HeldBody;
  readonly maxBytes: number;
}

const allowed = new WeakMap<FastifyRequest, Allowed>();

/**
 * Allows the server to receive the body of a request. Routes call it once they have admitted the sender. Throws if the bodies of `caller`
 * already take too much memory.
 */
export function allowBody(bodies: BodyBudget, request: FastifyRequest, caller: string, maxBytes = maxBodyBytes): void {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (length === undefined && encoding === undefined && request.raw.httpVersionMajor === 1) return;
  const held = bodies.open(caller);
  if (length !== undefined && Number(length) <= maxBytes) held.requireRoom(Number(length));
  allowed.set(request, { held, maxBytes });
}

/** A body as it was received. It counts against its caller until the handler of the request disposes of it. */
class RawBody {
  readonly bytes: Buffer;
  readonly held: HeldBody;
  isHandled = false;

  constructor(bytes: Buffer, held: HeldBody) {
    this.bytes = bytes;
    this.held = held;
  }
}

/**
 * Configures the app to receive JSON bodies without parsing them, so that a request that waits for its turn takes little memory. A body is
 * not received until a route has admitted its sender.
 */
export function registerBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const types = ["application/json", "application/merge-patch+json"];
  app.addContentTypeParser(types, (request, payload, done) => {
    const admission = allowed.get(request);
    // Requests for unknown paths are never admitted, so their bodies are not received.
    if (admission === undefined) return done(null, undefined);
    const { held, maxBytes } = admission;
    let body: RawBody | undefined;
    // If a request ends before its handler starts, no handler disposes of its body.
    request.raw.once("close", () => {
      if (body?.isHandled !== true) held[Symbol.dispose]();
    });
    receiveBody({ request: request.raw, payload, maxBytes, held }, (error, bytes) => {
      if (bytes === undefined) held[Symbol.dispose]();
      else body = new RawBody(bytes, held);
      done(error, body);
    });
  });
}

/** Keeps counting a request's body until the returned value is disposed of. Handlers must call this function first. */
export function keepBody({ body }: FastifyRequest): Disposable | undefined {
  if (!(body instanceof RawBody)) return undefined;
  body.isHandled = true;
  return body.held;
}

/** Returns whether a body is so large that requests of this size must be processed one at a time, with other work in between. */
export function isLargeBody({ body }: FastifyRequest): boolean {
  return body instanceof RawBody && body.bytes.length > pacedBytes;
}

/** Parses a request's body strictly: valid UTF-8, a single value, limited nesting and a limited number of values. */
export function parseBody(request: FastifyRequest): void {
  if (request.body instanceof RawBody) request.body = parse(request.body.bytes);
}

function parse(body: Buffer): Json | undefined {
  if (body.length === 0) return undefined;
  // A smaller body cannot contain that many values.
  if (body.length > maxBodyValues && countValues(body, maxBodyValues) > maxBodyValues)
    throw new Fault(apiFaults.too_many_values, `the body contains more than ${maxBodyValues} values`);
  let json: Json;
  try {
    json = JSON.parse(decoder.decode(body)) as Json;
  } catch (error) {
    throw new Fault(apiFaults.bad_json, `the body is not JSON: ${describePlace(error)}`);
  }
  if (isDeeperThan(json, maxDepth)) throw new Fault(apiFaults.bad_json, `the body is nested deeper than ${maxDepth} levels`);
  return json;
}

/** Describes where the JSON is malformed. The parser's own message quotes the body, which may contain a secret. */
function describePlace(error: unknown): string {
  if (!(error instanceof SyntaxError)) return "it is not UTF-8";
  return /at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0] ?? "it cannot be parsed";
}
