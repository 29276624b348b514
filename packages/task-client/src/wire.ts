import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  AgentService,
  type Agent as AgentEntity,
  type JoinAgentRequestSchema,
} from "@cloudwright/contract/gen/cloudwright/v1/agent_pb.ts";
import {
  TaskService,
  type FinishTaskRequestSchema,
  type FinishTaskResponse,
  type GetTasksRequestSchema,
  type GetTasksResponse,
  type HeartbeatRequestSchema,
  type HeartbeatResponse,
  type OpenCredentialsRequestSchema,
  type OpenStateRequestSchema,
} from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { Secret } from "@cloudwright/platform";
import type { TokenSource } from "./agent-token.ts";
import type { StateEndpoint } from "./handler.ts";
import { readOpenedBackend } from "./opened-backend.ts";
import { createUnaryCaller, type CallOptions, type UnaryCaller } from "./unary-call.ts";
import { toWireFault } from "./wire-faults.ts";

/** The server's API for agents. Each call is a single attempt and rejects with a fault if it fails. */
export interface Wire {
  join(request: MessageInitShape<typeof JoinAgentRequestSchema>, options: CallOptions): Promise<AgentEntity>;
  getTasks(request: MessageInitShape<typeof GetTasksRequestSchema>, options: CallOptions): Promise<GetTasksResponse>;
  heartbeat(request: MessageInitShape<typeof HeartbeatRequestSchema>, options: CallOptions): Promise<HeartbeatResponse>;
  finish(request: MessageInitShape<typeof FinishTaskRequestSchema>, options: CallOptions): Promise<FinishTaskResponse>;
  /** Returns access to the state of a task's entity, with absolute addresses. */
  openState(request: MessageInitShape<typeof OpenStateRequestSchema>, options: CallOptions): Promise<StateEndpoint>;
  /** Returns the spec of a task's account, including secrets. */
  openCredentials(
    request: MessageInitShape<typeof OpenCredentialsRequestSchema>,
    options: CallOptions,
  ): Promise<Secret<JsonObject>>;
  /** Sends the cluster token that a `cluster.token` task has fetched. */
  keepToken(
    held: MessageInitShape<typeof OpenStateRequestSchema>,
    given: { readonly token: Secret; readonly expiresAt: Date },
    options: CallOptions,
  ): Promise<void>;
  close(): void;
}

/**
 * Calls the server with the Connect protocol over HTTP/1.1. On Node, this has half the overhead of gRPC, and a broken connection affects
 * only one call.
 */
export function createWire(settings: { server: string; tokens?: TokenSource; version: string }): Wire {
  const { server } = settings;
  const caller = createUnaryCaller(settings);
  const call: UnaryCaller["call"] = async (method, request, options) => {
    try {
      return await caller.call(method, request, options);
    } catch (error) {
      throw toWireFault(error, server);
    }
  };
  const tasks = TaskService.method;
  return {
    join: (request, options) => call(AgentService.method.joinAgent, request, options),
    getTasks: (request, options) => call(tasks.getTasks, request, options),
    heartbeat: (request, options) => call(tasks.heartbeat, request, options),
    finish: (request, options) => call(tasks.finishTask, request, options),
    async openState(request, options) {
      const answer = await call(tasks.openState, request, options);
      const { address, lockAddress, unlockAddress, username, password, backend, forgotten, secrets, lent } = answer;
      return {
        address: server + address,
        lockAddress: server + lockAddress,
        unlockAddress: server + unlockAddress,
        username,
        password: new Secret(password),
        forgotten: forgotten.map(({ type, id }) => ({ type, id })),
        ...(backend === undefined ? {} : { backend: readOpenedBackend(backend) }),
        ...(Object.keys(secrets).length === 0 ? {} : { secrets: new Secret(secrets) }),
        ...(lent.length === 0 ? {} : { lent: new Secret(lent) }),
      };
    },
    async openCredentials(request, options) {
      const { spec = {} } = await call(tasks.openCredentials, request, options);
      return new Secret(spec);
    },
    async keepToken({ uid = "", leaseToken = "" }, { token, expiresAt }, options) {
      const request = { uid, leaseToken, token: token.reveal(), expiresAt: timestampFromDate(expiresAt) };
      await call(tasks.keepToken, request, options);
    },
    close: () => caller.close(),
  };
}
