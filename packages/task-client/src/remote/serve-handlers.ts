import { create } from "@bufbuild/protobuf";
import { validate } from "@cloudwright/contract";
import {
  DeployerService,
  GetDeployerResponseSchema,
  TaskInfoSchema,
  TaskReportSchema,
  type TaskInfo,
  type TaskReport,
} from "@cloudwright/contract/gen/cloudwright/v1/deployer_pb.ts";
import { Fault, systemClock, type Clock, type Logger, type Secret } from "@cloudwright/platform";
import { Code, ConnectError, createContextKey, createContextValues, type HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createServer, type Http2ServerRequest, type Http2Session } from "node:http2";
import { rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { bootTime as machineBootTime, type BootTime } from "../boot-time.ts";
import { lockDirectory } from "../directory-lock.ts";
import { taskClientFaults } from "../faults.ts";
import { payloadVersions } from "../payload.ts";
import type { HandlerRegistry } from "../registry.ts";
import { release } from "../release.ts";
import { startWatchdog } from "../watchdog/watchdog.ts";
import { holdsToken } from "./bearer.ts";
import { startDeployerRun, type DeployerRun, type DeployerRunDeps } from "./deployer-run.ts";
import { followHeader, readSilenceMs, resumedHeader, silenceHeader } from "./headers.ts";

export interface DeployerOptions {
  readonly listen: { readonly host: string; readonly port: number };
  /** Token that callers must present. */
  readonly token: Secret;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly cancelGraceMs: number;
}

/** A running deployer service. */
export interface Deployer {
  readonly url: string;
  /** Stops all runs and closes the server. */
  close(): Promise<void>;
}

/** Maximum size of a task. */
const mostBytes = 64 * 1024 ** 2;

const sessionKey = createContextKey<Http2Session | undefined>(undefined);

/**
 * Serves the registered handlers to agents over gRPC. When a call ends, its work is stopped with a grace period. When the connection
 * closes, the work is killed immediately.
 */
export async function serveHandlers(
  deps: { readonly log: Logger; readonly registry: HandlerRegistry; readonly clock?: Clock; readonly bootTime?: BootTime },
  options: DeployerOptions,
): Promise<Deployer> {
  const { log, registry, clock = systemClock, bootTime = machineBootTime } = deps;
  const unlock = await lockDirectory(options.directory);
  // A killed deployer may have left run directories behind, with plans that contain secrets. They are deleted, because such runs are never
  // resumed.
  rmSync(join(options.directory, "runs"), { recursive: true, force: true });
  const watchdog = await startWatchdog({ log, clock });
  const runDeps: DeployerRunDeps = { ...options, registry, watchdog, log, clock, bootTime };
  const runs = new Set<DeployerRun>();
  const sessions = new Set<Http2Session>();

  // An agent may run a task that it or another agent has abandoned. The old run is killed first, because an entity must never have two runs
  // at once.
  const clear = async ({ uid, entityUid }: TaskInfo): Promise<void> => {
    const others = [...runs].filter(({ info }) => info.uid === uid || (entityUid !== "" && info.entityUid === entityUid));
    for (const other of others) other.kill();
    await Promise.all(others.map(({ ended }) => ended));
  };
  const begin = (info: TaskInfo, context: HandlerContext): DeployerRun => {
    const session = context.values.get(sessionKey);
    if (session === undefined) throw new ConnectError("tasks require HTTP/2", Code.InvalidArgument);
    const { requestHeader: header } = context;
    const silenceMs = readSilenceMs(header.get(silenceHeader));
    const run = startDeployerRun(runDeps, info, { session, silenceMs, resumed: header.get(resumedHeader) === "1" });
    runs.add(run);
    void run.ended.finally(() => runs.delete(run));
    return run;
  };

  async function* follow(info: TaskInfo, mode: string, signal: AbortSignal): AsyncGenerator<TaskReport> {
    const run = [...runs].find((other) => other.info.uid === info.uid);
    if (run === undefined) {
      yield create(TaskReportSchema, { report: { case: "outcome", value: { outcome: "cancelled" } } });
      return;
    }
    if (mode === "kill") run.kill();
    else run.stop();
    signal.addEventListener("abort", run.kill, { once: true });
    yield await run.ended;
  }

  const handler = connectNodeAdapter({
    readMaxBytes: mostBytes,
    contextValues: (request) => createContextValues().set(sessionKey, (request as Http2ServerRequest).stream?.session),
    routes: (router) =>
      router.service(DeployerService, {
        getDeployer() {
          const { min, max } = payloadVersions;
          return create(GetDeployerResponseSchema, {
            types: registry.types(),
            minPayloadVersion: min,
            maxPayloadVersion: max,
            version: release,
          });
        },
        async *runTask(info, context) {
          const [wrong] = validate(TaskInfoSchema, info);
          if (wrong !== undefined) throw new ConnectError(`${wrong.field} ${wrong.message}`, Code.InvalidArgument);
          const mode = context.requestHeader.get(followHeader);
          if (mode !== null) return yield* follow(info, mode, context.signal);
          await clear(info);
          const run = begin(info, context);
          context.signal.addEventListener("abort", run.stop, { once: true });
          yield* run.reports;
        },
      }),
  });

  const server = createServer((request, response) => {
    if (holdsToken(request.headers.authorization ?? null, options.token)) return handler(request, response);
    // The token is checked before the body is read, so that unauthenticated callers cannot fill the deployer's memory. Clients report this
    // status as an unauthenticated call.
    response.writeHead(401);
    response.end(() => request.stream.close());
  });
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(new Fault(taskClientFaults.bad_listen, `cannot listen: ${cause.message}`, { cause })));
    server.listen(options.listen.port, options.listen.host, resolve);
  });
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(":") ? `[${address}]` : address}:${port}`,
    async close() {
      for (const run of runs) run.stop();
      await Promise.all([...runs].map(({ ended }) => ended));
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
      await watchdog.close();
      await unlock();
    },
  };
}
