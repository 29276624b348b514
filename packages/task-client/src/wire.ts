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
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Secret } from "@cloudwright/platform";
import type { TokenSource } from "./agent-token.ts";
import type { StateEndpoint } from "./handler.ts";
import { readOpenedBackend } from "./opened-backend.ts";
import { toWireFault } from "./wire-faults.ts";

export interface CallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

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
  const { server, tokens } = settings;
  const agentOptions = { keepAlive: true, keepAliveMsecs: 5000, maxFreeSockets: 8, timeout: 120_000 };
  const agent = server.startsWith("https:") ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const transport = createConnectTransport({
    baseUrl: server,
    httpVersion: "1.1",
    nodeOptions: { agent },
    useBinaryFormat: true,
    // Messages are a few KiB in size. Compressing them cost the server 2 ms per cluster, ten times what it saved in transfer.
    acceptCompression: [],
    interceptors: [identify(settings.version), ...(tokens === undefined ? [] : [authenticate(tokens)])],
  });
  const tasks = createClient(TaskService, transport);
  const agents = createClient(AgentService, transport);
  const call = async <Answer>(how: CallOptions, send: (how: CallOptions) => Promise<Answer>): Promise<Answer> => {
    try {
      // The protocol accepts only whole milliseconds.
      return await send({ ...how, timeoutMs: Math.ceil(how.timeoutMs) });
    } catch (error) {
      throw toWireFault(error, server);
    }
  };
  return {
    join: (request, options) => call(options, (how) => agents.joinAgent(request, how)),
    getTasks: (request, options) => call(options, (how) => tasks.getTasks(request, how)),
    heartbeat: (request, options) => call(options, (how) => tasks.heartbeat(request, how)),
    finish: (request, options) => call(options, (how) => tasks.finishTask(request, how)),
    async openState(request, options) {
      const answer = await call(options, (how) => tasks.openState(request, how));
      const { address, lockAddress, unlockAddress, username, password, backend, forgotten } = answer;
      return {
        address: server + address,
        lockAddress: server + lockAddress,
        unlockAddress: server + unlockAddress,
        username,
        password: new Secret(password),
        forgotten: forgotten.map(({ type, id }) => ({ type, id })),
        ...(backend === undefined ? {} : { backend: readOpenedBackend(backend) }),
      };
    },
    async openCredentials(request, options) {
      const { spec = {} } = await call(options, (how) => tasks.openCredentials(request, how));
      return new Secret(spec);
    },
    async keepToken({ uid = "", leaseToken = "" }, { token, expiresAt }, options) {
      const request = { uid, leaseToken, token: token.reveal(), expiresAt: timestampFromDate(expiresAt) };
      await call(options, (how) => tasks.keepToken(request, how));
    },
    close: () => agent.destroy(),
  };
}

function identify(version: string): Interceptor {
  return (next) => (request) => {
    request.header.set("user-agent", `cloudwright-agent/${version}`);
    return next(request);
  };
}

// If the server rejects a token, the call is retried once with a new token, which is based on the server's time in the rejection.
function authenticate(tokens: TokenSource): Interceptor {
  return (next) => async (request) => {
    for (let tries = 0; ; tries += 1) {
      request.header.set("authorization", `Bearer ${await tokens.token()}`);
      try {
        const response = await next(request);
        tokens.learnTime(response.header.get("date"));
        return response;
      } catch (error) {
        const { code, metadata } = ConnectError.from(error);
        tokens.learnTime(metadata.get("date"));
        if (code !== Code.Unauthenticated) throw error;
        tokens.forget();
        if (tries > 0) throw error;
      }
    }
  };
}
