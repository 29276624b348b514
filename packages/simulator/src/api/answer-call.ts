import { createUid, describeError, type Clock } from "@cloudwright/platform";
import { readConditions, type Conditions } from "../cloud/conditions.ts";
import type { Lag } from "../cloud/lag.ts";
import type { Throttle } from "../cloud/throttle.ts";
import type { SimulatedApi } from "../clouds.ts";
import type { ApiRefusal } from "../provider/definition.ts";
import type { Scope } from "../provider/scope.ts";
import type { SimulatedFaults } from "../simulated-faults/simulated-fault.ts";
import { ApiError } from "./api-error.ts";
import type { ApiCall, ApiReply, ApiRequest, OpenedCall, ServiceDeps } from "./api-service.ts";
import { DropConnection, isEndless, simulateAfter, simulateBefore, takeFault, type BrokenReply } from "./faults.ts";
import { openOperations } from "./operations.ts";
import type { ApiLimits } from "./api-limits.ts";
import type { Settler } from "./settler.ts";
import type { Strangers } from "./strangers.ts";
import type { TenantTurns } from "./tenant-turns.ts";

/** The dependencies and limits that the host's requests share. */
export interface HostParts {
  readonly deps: ServiceDeps;
  readonly clock: Clock;
  readonly faults: SimulatedFaults;
  readonly standard: Conditions;
  readonly throttle: Throttle;
  readonly lag: Lag;
  readonly settler: Settler;
  readonly strangers: Strangers;
  /** Schedules the requests. Holders take turns, regardless of how many tenants each of them has. */
  readonly turns: TenantTurns;
  readonly findHolder: (tenant: string) => Promise<string>;
  readonly limits: Pick<ApiLimits, "bodyBytes" | "strangerBytes" | "requests" | "requestsPerHolder">;
  readonly onTrouble: (message: string) => void;
  readonly onChange: (tenant: string) => void;
}

const inFlight = new WeakMap<HostParts, Map<string, number>>();

/** A request whose body may not have arrived yet. */
export interface ArrivingRequest {
  /** The request without its body. */
  readonly head: ApiRequest;
  /** The remote address. */
  readonly source: string;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
  /**
   * Reads the body. Rejects with `BodyTooLarge` if it exceeds the limit, and with `ApiError` if the host is already buffering too many
   * bytes from this sender.
   */
  receive(mostBytes: number, sender: string): Promise<ApiRequest>;
  /** Sends the reply. Resolves when the client has read it. */
  reply(reply: BrokenReply, nowMs: number): Promise<void>;
}

/** Thrown if a request is larger than allowed. */
export class BodyTooLarge extends Error {}

/** Answers a request to a cloud's API. Throws `DropConnection` if the client must not get a reply. */
export async function answerCall(parts: HostParts, api: SimulatedApi, arriving: ArrivingRequest): Promise<void> {
  const { deps, clock, strangers, limits, onTrouble } = parts;
  const { head, source, gone } = arriving;
  const { service } = api;
  const requestId = createUid(clock.now());
  let request = head;
  let nowMs = clock.now();
  const refuse = (refusal: ApiRefusal): ApiReply => service.renderError(request, refusal, requestId);
  const open = service.answerPublic?.(head, requestId);
  if (open !== undefined) return arriving.reply(open, nowMs);
  try {
    const credential = service.credentialOf?.(head) ?? headerOf(head, "authorization");
    const opened = await strangers.authenticate({ source, credential }, async (sender) => {
      await service.admit?.(head, deps);
      request = await arriving.receive(credential === "" ? limits.strangerBytes : limits.bodyBytes, sender);
      return service.open(request, deps);
    });
    const { tenant } = opened.caller;
    nowMs = await deps.nowFor(tenant);
    const holder = await parts.findHolder(tenant);
    const answer = async (): Promise<void> => {
      const reply = await runCall(parts, api, request, opened, { gone, requestId, nowMs, holder }).catch((error: unknown) => {
        if (error instanceof ApiError) return refuse(error.refusal);
        throw error;
      });
      // A request counts as in progress until the client has read the reply, because the reply occupies memory until then.
      await arriving.reply(reply, nowMs);
    };
    const refusal = tooMany(api, opened.operation.touches?.type);
    await countRequest(parts, { name: `tenant ${tenant}`, most: limits.requests }, refusal, () =>
      countRequest(parts, { name: `holder ${holder}`, most: limits.requestsPerHolder }, refusal, answer),
    );
  } catch (error) {
    if (error instanceof DropConnection || error instanceof BodyTooLarge) throw error;
    if (gone.aborted) throw new DropConnection();
    // Responses that reject a signature include the time on the cloud's clock, so that clients can correct theirs.
    if (error instanceof ApiError) return arriving.reply(refuse(error.refusal), error.nowMs ?? nowMs);
    onTrouble(`${request.method} ${request.rawPath}: ${describeError(error)}`);
    await arriving.reply(refuse({ code: "", message: "An internal error occurred.", status: 500 }), nowMs);
  }
}

function headerOf({ headers }: ApiRequest, name: string): string {
  return headers.find(([each]) => each === name)?.[1] ?? "";
}

async function runCall(
  parts: HostParts,
  api: SimulatedApi,
  request: ApiRequest,
  opened: OpenedCall,
  state: { readonly gone: AbortSignal; readonly requestId: string; readonly nowMs: number; readonly holder: string },
): Promise<BrokenReply> {
  const { clock, faults, turns } = parts;
  const { operation, caller } = opened;
  const fault = await takeFault(faults, caller.tenant, operation);
  if (fault !== undefined) await simulateBefore(fault, operation, { clock, gone: state.gone });
  const endless = isEndless(fault, operation);
  const reply = await turns.run(state.holder, state.gone, () => runOperation(parts, api, request, opened, { ...state, endless }));
  return fault === undefined ? reply : simulateAfter(fault, reply);
}

async function runOperation(
  parts: HostParts,
  api: SimulatedApi,
  request: ApiRequest,
  opened: OpenedCall,
  { requestId, nowMs, endless }: { readonly requestId: string; readonly nowMs: number; readonly endless: boolean },
): Promise<ApiReply> {
  const { deps, clock, faults, standard, throttle, lag, settler } = parts;
  const { operation, caller } = opened;
  const { tenant } = caller;
  const { inventory, identity } = deps;
  const conditions = await readConditions(inventory, tenant, standard);
  if (!throttle.take(tenant, conditions)) throw new ApiError(tooMany(api, operation.touches?.type));
  const scope: Scope = {
    definition: api.provider,
    tenant,
    inventory,
    faults,
    clock,
    host: { crash: () => undefined, print: () => undefined, complain: () => undefined },
    session: { config: opened.provider, stop: new AbortController() },
    standard,
    throttle,
    lag,
    patienceMs: 0,
  };
  const operations = await openOperations(scope, conditions, { neverEnds: endless });
  const call: ApiCall = {
    ...opened,
    scope,
    conditions,
    operations,
    identity,
    requestId,
    origin: request.origin,
    nowMs,
  };
  const answer = await operation.run(call).finally(() => {
    const dueMs = operations.nextDueMs();
    const settle = async (): Promise<number | undefined> => (await openOperations(scope, conditions)).nextDueMs();
    if (dueMs !== undefined) settler.wake(tenant, dueMs, settle);
    if (operation.touches !== undefined && operation.touches.operation !== "read") parts.onChange(tenant);
  });
  return api.service.renderAnswer(request, opened, answer, requestId);
}

async function countRequest<Result>(
  parts: HostParts,
  { name, most }: { readonly name: string; readonly most: number },
  refusal: ApiRefusal,
  act: () => Promise<Result>,
): Promise<Result> {
  const counts = inFlight.get(parts) ?? new Map<string, number>();
  inFlight.set(parts, counts);
  const count = counts.get(name) ?? 0;
  if (count >= most) throw new ApiError(refusal);
  counts.set(name, count + 1);
  try {
    return await act();
  } finally {
    const left = (counts.get(name) ?? 1) - 1;
    if (left === 0) counts.delete(name);
    else counts.set(name, left);
  }
}

function tooMany({ provider }: SimulatedApi, type = ""): ApiRefusal {
  return provider.throttled?.("call", type).refusal ?? { code: "", message: "Too many requests", status: 429 };
}
