import { timestampDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  DeployerService,
  type ClusterToken,
  type DeployerOutcome,
} from "@cloudwright/contract/gen/cloudwright/v1/deployer_pb.ts";
import { Fault, Secret, systemClock, type Clock } from "@cloudwright/platform";
import { Code, ConnectError, createClient, type Client } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { taskClientFaults } from "../faults.ts";
import type { Handler, HandlerContext, HandlerOutcome } from "../handler.ts";
import { followHeader, resumedHeader, silenceHeader } from "./headers.ts";
import { openCredentialsFor, openStateFor } from "./state-access.ts";

/** The deployer's address and the token to authenticate with. */
export interface RemoteHandlerOptions {
  readonly url: string;
  readonly token: Secret;
  readonly clock?: Clock;
}

/** The reason why a call ended without an outcome. */
interface Broken {
  readonly broken: string;
}
const cutOff: Broken = { broken: "the call ended without an outcome" };

type DeployerClient = Client<typeof DeployerService>;

/** Creates a handler that delegates tasks to a separate deployer over gRPC. */
export function createRemoteHandler(options: RemoteHandlerOptions): Handler {
  const { url, token, clock = systemClock } = options;
  const transport = createGrpcTransport({
    baseUrl: url,
    pingIntervalMs: 2000,
    pingTimeoutMs: 3000,
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${token.reveal()}`);
        return next(request);
      },
    ],
  });
  const client = createClient(DeployerService, transport);
  return async (context) => {
    // The deployer kills the work after this long without contact. This time is a sixth of the remaining lease. This handler stops the work
    // while more than a sixth remains, so the work always ends before the lease expires.
    const silenceMs = Math.max(200, Math.round(context.remainingMs() / 6));
    const outcome = await call(client, context, silenceMs, url);
    if (!("broken" in outcome)) return outcome;
    // The deployer may not have noticed the broken connection yet. Waits until it has killed the work, so that the task can safely run
    // elsewhere.
    await clock.sleep(silenceMs * 1.5);
    throw new Fault(taskClientFaults.deployer_unreachable, `the deployer at ${url} did not run the task: ${outcome.broken}`);
  };
}

async function call(
  client: DeployerClient,
  context: HandlerContext,
  silenceMs: number,
  url: string,
): Promise<HandlerOutcome | Broken> {
  const end = new AbortController();
  const headers = { [silenceHeader]: String(silenceMs), ...(context.resumed ? { [resumedHeader]: "1" } : {}) };
  const stop = (): void => end.abort();
  const watch = setInterval(() => (context.remainingMs() < silenceMs * 1.2 ? stop() : undefined), silenceMs / 5);
  context.signal.addEventListener("abort", stop, { once: true });
  if (context.signal.aborted) stop();
  try {
    const { task, payloadJson: payload } = context;
    const state = await openStateFor(context);
    const credentials = await openCredentialsFor(context);
    const secrets = { ...(state === undefined ? {} : { state }), ...(credentials === undefined ? {} : { credentials }) };
    const info = { ...task, payload, ...secrets };
    for await (const { report } of client.runTask(info, { headers, signal: end.signal })) {
      if (report.case === "line") context.log(report.value.line);
      else if (report.case === "progress")
        context.progress(report.value.progressPercent, report.value.message, report.value.outputs);
      else if (report.case === "token") await handOn(context, report.value);
      else if (report.case === "outcome") return readOutcome(report.value);
    }
    return cutOff;
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (end.signal.aborted) return await follow(client, context, isLost(context, silenceMs) ? "kill" : "stop");
    if (ConnectError.from(error).code === Code.Unauthenticated) {
      throw new Fault(taskClientFaults.deployer_denied, `the deployer at ${url} rejected this agent's token`, { cause: error });
    }
    return { broken: ConnectError.from(error).rawMessage };
  } finally {
    clearInterval(watch);
    context.signal.removeEventListener("abort", stop);
  }
}

async function handOn(context: HandlerContext, { token, expiresAt }: ClusterToken): Promise<void> {
  await context.keepToken(new Secret(token), timestampDate(expiresAt ?? timestampFromMs(0)));
}

// Ending the first call stops the work. This second call waits until the work has ended.
async function follow(client: DeployerClient, context: HandlerContext, mode: "stop" | "kill"): Promise<HandlerOutcome | Broken> {
  try {
    const { uid, type, entityUid } = context.task;
    for await (const { report } of client.runTask({ uid, type, entityUid }, { headers: { [followHeader]: mode } })) {
      if (report.case === "outcome") return readOutcome(report.value);
    }
    return cutOff;
  } catch {
    return cutOff;
  }
}

function isLost(context: HandlerContext, silenceMs: number): boolean {
  const reason: unknown = context.signal.reason;
  return (reason instanceof Fault && reason.code === taskClientFaults.lease_lost.code) || context.remainingMs() < silenceMs * 1.2;
}

function readOutcome({ outcome, outputs, fault }: DeployerOutcome): HandlerOutcome {
  const said = outputs === undefined ? {} : { outputs };
  if (outcome === "done") return { outcome: "done", ...said };
  if (outcome === "cancelled") return { outcome: "cancelled" };
  const { code, help } = taskClientFaults.handler_failed;
  if (fault === undefined)
    return { outcome: "failed", fault: { code, help, message: "the deployer did not report a reason" }, ...said };
  return { outcome: "failed", fault: { ...fault }, ...said };
}
