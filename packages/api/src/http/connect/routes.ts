import { fromJson, toJson, type DescMessage, type Message } from "@bufbuild/protobuf";
import { methods, services, type Json, type Method } from "@cloudwright/contract";
import { WatchEventSchema, type WatchEvent } from "@cloudwright/contract/gen/cloudwright/v1/requests_pb.ts";
import type { ConnectRouter, HandlerContext } from "@connectrpc/connect";
import { renderWarnings, warningsHeader } from "../../calls/answer.ts";
import { isHeldUntilRead, waitsForOthers, type MethodTurns } from "../../calls/method-turns.ts";
import { preconditionOf, readMasked, replaceWith } from "../../entities/changes.ts";
import { requireNames, requireValid } from "../../calls/decode.ts";
import type { ApiDeps } from "../../deps.ts";
import { invoke, recordFailure, type MethodInput } from "../../calls/invoke.ts";
import type { BodyBudget } from "../bodies/body-budget.ts";
import { awaitDelivery } from "../delivery.ts";
import { pacedBytes, type Pace } from "../pace.ts";
import { toFault } from "../problem.ts";
import { requireServed } from "../served.ts";
import type { Hub } from "../../watch/hub.ts";
import { prepareWatch, type WatchInput } from "../../watch/open-watch.ts";
import { asConnectError } from "./errors.ts";
import { createFrameQueue } from "./frame-queue.ts";
import { readRequestContext } from "./request-context.ts";
import { readCall } from "./request-gate.ts";
import { maxPageBytes, requireSmall } from "./require-small.ts";

export interface ConnectDeps extends ApiDeps {
  readonly hub: Hub;
  readonly turns: MethodTurns;
  readonly pace: Pace;
  readonly bodies: BodyBudget;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
}

/** Serves every method over Connect, gRPC and gRPC-web. The implementation is shared with REST. */
export function registerConnectRoutes(router: ConnectRouter, deps: ConnectDeps): void {
  for (const service of services) {
    const own = methods.filter((method) => method.descriptor.parent === service);
    router.service(service, Object.fromEntries(own.map((method) => [method.descriptor.localName, implement(deps, method)])));
  }
}

function implement(deps: ConnectDeps, method: Method): never {
  return (method.streaming ? createStream(deps, method) : createUnary(deps, method)) as never;
}

function createUnary(deps: ConnectDeps, method: Method): (request: Message, context: HandlerContext) => Promise<Message> {
  const { input, output } = method.descriptor;
  return (request, context) =>
    translateErrors(deps, context, async () => {
      const call = readCall(context);
      requireServed(deps.served, method);
      requireRequest(input, request);
      const heard = waitsForOthers(method) ? { ...call, signal: AbortSignal.any([context.signal, deps.closing]) } : call;
      const rendered = Promise.withResolvers<Message>();
      const deliver = async (): Promise<void> => {
        const answer = await invoke(deps, heard, method, { ...readInput(method, request, context), maxPageBytes });
        requireSmall(method, request, answer);
        const { length } = answer.body;
        if (length > pacedBytes) await deps.pace();
        if (answer.version !== undefined) context.responseHeader.set("etag", `"${answer.version}"`);
        if (answer.warnings !== undefined && answer.warnings.length > 0)
          context.responseHeader.set(warningsHeader, renderWarnings(answer.warnings));
        rendered.resolve(fromJson(output, JSON.parse(answer.body) as Json, { ignoreUnknownFields: true }));
        const { response } = readRequestContext(context);
        if (response !== undefined && isHeldUntilRead(method, length)) await awaitDelivery(response, length);
      };
      const { project } = request as { readonly project?: string };
      const turn = { isGone: () => context.signal.aborted, ...(project === undefined ? {} : { project }) };
      // The call keeps its turn while Connect sends the response.
      deps.turns.run(call, method, deliver, turn).catch(rendered.reject);
      return rendered.promise;
    });
}

/**
 * Validates the request message, except for an entity in it. The method validates the entity after removing the fields that callers
 * cannot set.
 */
function requireRequest(schema: DescMessage, request: Message): void {
  if (schema.field["entity"]?.message === undefined) requireValid(schema, request, "the request");
  else requireNames({ ...request });
}

function readInput(method: Method, request: Message, context: HandlerContext): Partial<MethodInput> {
  const fields = request as unknown as Partial<MethodInput> & { updateMask?: { paths: string[] } };
  const schema = method.descriptor.input.field["entity"]?.message;
  if (schema === undefined) return fields;
  const sent: Json = fields.entity === undefined ? null : toJson(schema, fields.entity as unknown as Message);
  if (method.verb === "create")
    return { ...fields, entity: sent, idempotencyKey: context.requestHeader.get("idempotency-key") ?? undefined };
  if (method.verb === "preflight") return { ...fields, entity: sent };
  const mask = (fields.updateMask?.paths ?? []).map(toJsonPath);
  const precondition = preconditionOf(sent);
  if (mask.length === 0) return { ...fields, sent, change: replaceWith(sent), precondition };
  return { ...fields, ...readMasked(method.kind, sent, mask), precondition };
}

function toJsonPath(path: string): string {
  return path.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function createStream(
  deps: ConnectDeps,
  method: Method,
): (request: Message, context: HandlerContext) => AsyncGenerator<WatchEvent> {
  return async function* watch(request, context) {
    const queue = createFrameQueue(() => disconnectLater(context));
    const [call, prepared] = await translateErrors(deps, context, async () => {
      const caller = readCall(context);
      requireValid(method.descriptor.input, request, "the request");
      const input = request as unknown as WatchInput;
      const prepare = (): ReturnType<typeof prepareWatch> => prepareWatch(deps, caller, method, input);
      const preparing = deps.turns.run(caller, method, prepare).catch(async (error: unknown) => {
        await recordFailure(deps, caller, method, input, error);
        throw error;
      });
      return [caller, await preparing] as const;
    });
    // If the caller has already disconnected, the abort event does not fire again.
    if (context.signal.aborted) return;
    context.signal.addEventListener("abort", () => queue.sink.end(undefined));
    // Runs concurrently with the loop below. It fills the queue that the loop drains.
    const started = prepared.start(queue.sink).catch((error: unknown) => {
      queue.sink.end(toFault(error, deps.log, call.requestId));
      return () => undefined;
    });
    try {
      for await (const frame of queue.frames) {
        const { type, kind, resourceVersion, object } = frame;
        yield fromJson(WatchEventSchema, {
          type,
          kind,
          resourceVersion,
          ...(object === "" ? {} : { object: JSON.parse(object) as Json }),
        });
      }
    } catch (error) {
      throw asConnectError(deps, context, error);
    } finally {
      (await started)();
    }
  };
}

/** Time within which a client must read the last frames of a watch that the server has ended. */
const lastFrames = { idleMs: 5_000, bytesPerSecond: Infinity };

/** Disconnects a client that does not read the end of its watch. Otherwise, the server would keep the unread frames in memory forever. */
function disconnectLater(context: HandlerContext): void {
  const { response } = readRequestContext(context);
  if (response !== undefined) void awaitDelivery(response, 0, lastFrames);
}

async function translateErrors<Result>(deps: ConnectDeps, context: HandlerContext, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asConnectError(deps, context, error);
  }
}
