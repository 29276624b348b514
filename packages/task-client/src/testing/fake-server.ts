import { create, type JsonObject, type MessageInitShape } from "@bufbuild/protobuf";
import { parseTaskType } from "@cloudwright/contract";
import { AgentSchema, AgentService } from "@cloudwright/contract/gen/cloudwright/v1/agent_pb.ts";
import {
  FinishTaskResponseSchema,
  GetTasksResponseSchema,
  HeartbeatResponseSchema,
  KeepTokenResponseSchema,
  LeasedTaskSchema,
  OpenCredentialsResponseSchema,
  OpenStateResponseSchema,
  TaskService,
  type FinishTaskRequest,
  type GetTasksRequest,
  type KeepTokenRequest,
  type LeasedTask,
  type TaskProgress,
} from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { createUid } from "@cloudwright/platform";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { decodeJwt, importJWK, jwtVerify, type JWK } from "jose";
import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A task in the fake server's queue. */
export interface FakeTask {
  readonly uid: string;
  readonly init: MessageInitShape<typeof LeasedTaskSchema>;
  state: "ready" | "leased" | "done" | "failed" | "cancelled";
  attempt: number;
  leaseToken: string;
  expiresAtMs: number;
  cancelReason: string;
  /** Outcomes that the server accepted. */
  readonly outcomes: FinishTaskRequest[];
  /** Outcomes that were rejected because the lease was not held. */
  readonly stale: FinishTaskRequest[];
  /** Cluster tokens that agents sent. */
  readonly tokens: KeepTokenRequest[];
  readonly reports: TaskProgress[];
  readonly lines: Map<string, string>;
  /** Number of leases granted so far. */
  leases: number;
}

/** A fake server for testing agents, without a database. Its in-memory queue grants leases and runs one task per entity at a time. */
export interface FakeServer {
  readonly url: string;
  readonly tasks: Map<string, FakeTask>;
  readonly agents: Map<string, { name: string; publicKey: JWK }>;
  readonly polls: GetTasksRequest[];
  readonly tokens: string[];
  /** Settings that control the server's behaviour. Tests can change them at any time. */
  readonly manners: {
    leaseSeconds: number;
    /** If true, the next join is executed but its response is lost. */
    loseJoinAnswer: boolean;
    upgrade: string;
    draining: boolean;
    /** Methods that return an error. */
    broken: Set<"getTasks" | "heartbeat" | "finishTask">;
    /** How far the server's clock is ahead of the local clock. */
    aheadMs: number;
  };
  issueJoinToken(): string;
  enqueue(task?: {
    type?: string;
    lane?: "long" | "short";
    entityUid?: string;
    payload?: JsonObject;
    annotations?: Record<string, string>;
    payloadVersion?: number;
  }): FakeTask;
  cancel(uid: string, reason: string): void;
  /** Revokes a lease, as if it had expired. */
  revoke(uid: string): void;
  /** Closes all connections and stops listening. `resume` listens again on the same address. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a fake server on a free port. */
export async function startFakeServer(options: { leaseSeconds?: number } = {}): Promise<FakeServer> {
  const tasks = new Map<string, FakeTask>();
  const agents: FakeServer["agents"] = new Map();
  const joinTokens = new Map<string, string | undefined>();
  const polls: GetTasksRequest[] = [];
  const tokens: string[] = [];
  const listeners = new Set<() => void>();
  const manners: FakeServer["manners"] = {
    leaseSeconds: options.leaseSeconds ?? 30,
    loseJoinAnswer: false,
    upgrade: "",
    draining: false,
    broken: new Set(),
    aheadMs: 0,
  };
  const wake = (): void => {
    for (const listener of listeners) listener();
  };

  const authenticate = async (context: HandlerContext): Promise<void> => {
    const token = context.requestHeader.get("authorization")?.replace(/^Bearer /, "") ?? "";
    tokens.push(token);
    try {
      const uid = String(decodeJwt(token).sub);
      const agent = agents.get(uid);
      if (agent === undefined) throw new Error("no such agent");
      await jwtVerify(token, await importJWK(agent.publicKey, "EdDSA"), {
        issuer: "cloudwright-agent",
        audience: "cloudwright",
        typ: "agent+jwt",
        subject: uid,
        maxTokenAge: 300,
        currentDate: new Date(Date.now() + manners.aheadMs),
      });
    } catch (error) {
      throw new ConnectError(String(error), Code.Unauthenticated);
    }
  };
  const breakIf = (method: "getTasks" | "heartbeat" | "finishTask"): void => {
    if (manners.broken.has(method)) throw new ConnectError("broken by the test", Code.Unavailable);
  };
  const reap = (): void => {
    for (const task of tasks.values()) {
      if (task.state === "leased" && task.expiresAtMs < performance.now()) task.state = "ready";
    }
  };
  const lease = (request: GetTasksRequest): LeasedTask[] => {
    reap();
    const free = { long: request.longLane, short: request.shortLane };
    const taken: LeasedTask[] = [];
    for (const task of tasks.values()) {
      const lane = task.init.lane === "short" ? "short" : "long";
      const busy = [...tasks.values()].some((other) => other.state === "leased" && other.init.entityUid === task.init.entityUid);
      if (task.state !== "ready" || busy || free[lane] === 0) continue;
      free[lane] -= 1;
      task.leases += 1;
      Object.assign(task, { state: "leased", leaseToken: randomUUID(), attempt: task.attempt + 1 });
      task.expiresAtMs = performance.now() + manners.leaseSeconds * 1000;
      const { attempt, leaseToken } = task;
      taken.push(create(LeasedTaskSchema, { ...task.init, attempt, leaseToken, leaseSeconds: manners.leaseSeconds }));
    }
    return taken;
  };
  const holds = ({ uid, leaseToken }: { uid: string; leaseToken: string }): FakeTask | undefined => {
    const task = tasks.get(uid);
    return task?.state === "leased" && task.leaseToken === leaseToken ? task : undefined;
  };

  const handler = connectNodeAdapter({
    routes: (router) => {
      router.service(AgentService, {
        joinAgent(request) {
          const uid = joinTokens.get(request.joinToken);
          const publicKey = JSON.parse(request.publicKey) as JWK;
          const known = uid === undefined ? undefined : agents.get(uid);
          const again = known !== undefined && known.name === request.name && known.publicKey.x === publicKey.x;
          if (!joinTokens.has(request.joinToken) || (uid !== undefined && !again)) {
            throw new ConnectError("the join token is not valid", Code.PermissionDenied);
          }
          const chosen = uid ?? createUid(Date.now());
          joinTokens.set(request.joinToken, chosen);
          agents.set(chosen, { name: request.name, publicKey });
          if (manners.loseJoinAnswer) {
            manners.loseJoinAnswer = false;
            throw new ConnectError("the answer is lost", Code.Unavailable);
          }
          return create(AgentSchema, { metadata: { name: request.name, uid: chosen, project: "system" } });
        },
      });
      router.service(TaskService, {
        async getTasks(request, context) {
          await authenticate(context);
          breakIf("getTasks");
          polls.push(request);
          if (manners.upgrade !== "" || manners.draining) {
            return create(GetTasksResponseSchema, { upgrade: manners.upgrade, draining: manners.draining });
          }
          const endMs = performance.now() + request.waitSeconds * 1000;
          for (;;) {
            const found = lease(request);
            const leftMs = endMs - performance.now();
            if (found.length > 0 || leftMs <= 0 || context.signal.aborted)
              return create(GetTasksResponseSchema, { tasks: found });
            await new Promise<void>((resolve) => {
              const timer = setTimeout(resolve, Math.min(100, leftMs));
              const listener = (): void => {
                clearTimeout(timer);
                listeners.delete(listener);
                resolve();
              };
              listeners.add(listener);
            });
          }
        },
        async heartbeat(request, context) {
          await authenticate(context);
          breakIf("heartbeat");
          const answers = request.tasks.map((report) => {
            const task = holds(report);
            if (task === undefined) return { uid: report.uid, renewed: false, cancelReason: "" };
            task.expiresAtMs = performance.now() + manners.leaseSeconds * 1000;
            task.reports.push(report);
            for (const { seq, line } of report.lines) task.lines.set(`${task.attempt}.${seq}`, line);
            return { uid: report.uid, renewed: true, cancelReason: task.cancelReason };
          });
          return create(HeartbeatResponseSchema, { tasks: answers, leaseSeconds: manners.leaseSeconds });
        },
        async openState(request, context) {
          await authenticate(context);
          const task = holds(request);
          if (task === undefined) throw new ConnectError("not held", Code.FailedPrecondition);
          const address = `/v1/states/${task.init.entityUid ?? ""}`;
          const places = { address, lockAddress: address, unlockAddress: address };
          return create(OpenStateResponseSchema, { ...places, username: task.uid, password: `password of ${task.leaseToken}` });
        },
        async openCredentials(request, context) {
          await authenticate(context);
          const task = holds(request);
          if (task === undefined) throw new ConnectError("not held", Code.FailedPrecondition);
          return create(OpenCredentialsResponseSchema, { spec: { aws: { secretAccessKey: `secret of ${task.leaseToken}` } } });
        },
        async keepToken(request, context) {
          await authenticate(context);
          const task = holds(request);
          if (task === undefined) throw new ConnectError("not held", Code.FailedPrecondition);
          task.tokens.push(request);
          return create(KeepTokenResponseSchema);
        },
        async finishTask(request, context) {
          await authenticate(context);
          breakIf("finishTask");
          const task = holds(request);
          if (task === undefined) {
            tasks.get(request.uid)?.stale.push(request);
            return create(FinishTaskResponseSchema, { accepted: false });
          }
          for (const { seq, line } of request.lines) task.lines.set(`${task.attempt}.${seq}`, line);
          task.outcomes.push(request);
          const again = request.outcome === "returned" || (request.outcome === "failed" && request.fault?.permanent !== true);
          if (request.outcome === "returned") task.attempt -= 1;
          task.state = again ? "ready" : (request.outcome as "done" | "failed" | "cancelled");
          wake();
          return create(FinishTaskResponseSchema, { accepted: true });
        },
      });
    },
  });

  let server: Server;
  const listen = (port: number): Promise<void> => {
    server = createServer((request, response) => {
      if (manners.aheadMs !== 0) response.setHeader("date", new Date(Date.now() + manners.aheadMs).toUTCString());
      handler(request, response);
    });
    return new Promise((resolve) => void server.listen(port, "127.0.0.1", resolve));
  };
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server!.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    tasks,
    agents,
    polls,
    tokens,
    manners,
    issueJoinToken() {
      const token = randomUUID();
      joinTokens.set(token, undefined);
      return token;
    },
    enqueue(given = {}) {
      const uid = createUid(Date.now());
      const entityUid = given.entityUid ?? createUid(Date.now());
      const type = given.type ?? "network.apply";
      const entity = { kind: "Network", uid: entityUid, name: "n", annotations: given.annotations ?? {}, spec: {} };
      const payload = given.payload ?? { action: parseTaskType(type)?.actionWord ?? "", entity };
      const { payloadVersion = 1, lane = "long" } = given;
      const init = {
        uid,
        type,
        lane,
        entityUid,
        entityKind: "Network",
        entityName: "n",
        project: "default",
        payload,
        payloadVersion,
      };
      const empty = {
        attempt: 0,
        leaseToken: "",
        expiresAtMs: 0,
        cancelReason: "",
        outcomes: [],
        tokens: [],
        stale: [],
        reports: [],
        leases: 0,
      };
      const task: FakeTask = { uid, init, state: "ready", lines: new Map(), ...empty };
      tasks.set(uid, task);
      wake();
      return task;
    },
    cancel(uid, reason) {
      const task = tasks.get(uid);
      if (task !== undefined) task.cancelReason = reason;
    },
    revoke(uid) {
      const task = tasks.get(uid);
      if (task !== undefined) task.leaseToken = randomUUID();
    },
    pause,
    resume: () => listen(port),
    close: pause,
  };
}
