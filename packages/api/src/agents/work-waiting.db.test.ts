import { fromBinary, fromJson, toBinary } from "@bufbuild/protobuf";
import { getMethod } from "@cloudwright/contract";
import { GetTasksRequestSchema, GetTasksResponseSchema, TaskService } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { callConnect } from "../testing/connect-call.ts";
import { enqueueTask } from "../testing/enqueue-task.ts";
import { sendPlain } from "../testing/plain-call.ts";
import { anyWork, joinTestAgent } from "../testing/test-agent.ts";

let api: TestApi;
let key: string;
let countWaiting: () => number;

beforeAll(async () => {
  api = await startTestApi();
  countWaiting = watchWaiters(api);
  key = await (await joinTestAgent(api, "system", "edge")).sign();
});
beforeEach(() => api.pool.query({ text: "truncate task, task_line, task_attempt, task_log, due", values: [] }));
afterAll(() => api.close());

/** Counts the subscribers to the task signal. Each waiting call subscribes once, so tests can tell when a call is waiting. */
function watchWaiters({ deps }: TestApi): () => number {
  let waiting = 0;
  const { subscribe } = deps.taskSignal;
  Object.assign(deps.taskSignal, {
    subscribe(listener: () => void) {
      waiting += 1;
      const leave = subscribe(listener);
      return () => {
        waiting -= 1;
        leave();
      };
    },
  });
  return () => waiting;
}

type Poll = (signal: AbortSignal, waitSeconds: number) => Promise<readonly { uid: string }[]>;

function over(transport: () => Transport): Poll {
  return async (signal, waitSeconds) => {
    const request = fromJson(GetTasksRequestSchema, { ...anyWork, waitSeconds });
    const options = { signal, headers: { authorization: `Bearer ${key}` } };
    return (await createClient(TaskService, transport()).getTasks(request, options)).tasks;
  };
}

const overRest: Poll = async (signal, waitSeconds) => {
  const body = JSON.stringify({ ...anyWork, waitSeconds });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(`${api.url}/v1/worker/tasks`, { method: "POST", body, headers, signal });
  return ((await answer.json()) as { tasks: { uid: string }[] }).tasks;
};

const asAgentsDo: Poll = async (signal, waitSeconds) => {
  const request = Buffer.from(toBinary(GetTasksRequestSchema, fromJson(GetTasksRequestSchema, { ...anyWork, waitSeconds })));
  const { body } = await sendPlain(api.url, getMethod("Work", "lease"), request, { key, signal });
  return fromBinary(GetTasksResponseSchema, body).tasks;
};

const endpoints: Readonly<Record<string, Poll>> = {
  rest: overRest,
  "plain Connect": asAgentsDo,
  "Connect on HTTP/1.1": over(() => createConnectTransport({ baseUrl: api.url, httpVersion: "1.1" })),
  "Connect on HTTP/2": over(() => createConnectTransport({ baseUrl: api.url, httpVersion: "2" })),
  gRPC: over(() => createGrpcTransport({ baseUrl: api.url })),
  "gRPC-web": over(() => createGrpcWebTransport({ baseUrl: api.url, httpVersion: "1.1" })),
};

describe.each(Object.keys(endpoints))("M043 over %s a waiting agent", (name) => {
  const poll = endpoints[name] as Poll;

  test("receives a task as soon as there is one", async () => {
    const polling = poll(new AbortController().signal, 60);
    await expect.poll(countWaiting).toBe(1);
    const task = await enqueueTask(api);
    expect((await polling).map(({ uid }) => uid)).toEqual([task.uid]);
  });

  test("is forgotten when it disconnects, and no task is lost", async () => {
    const abort = new AbortController();
    const polling = poll(abort.signal, 60);
    await expect.poll(countWaiting).toBe(1);
    abort.abort();
    await expect(polling).rejects.toThrow(/abort|cancel/i);
    await expect.poll(countWaiting).toBe(0);
    const task = await enqueueTask(api);
    expect((await overRest(new AbortController().signal, 0)).map(({ uid }) => uid)).toEqual([task.uid]);
  });
});

test("M043 a task leased for an agent that then drains or is deleted is returned to the queue unchanged", async () => {
  const state = async (): Promise<object[]> =>
    (await api.pool.query({ text: "select state, attempt from task_state", values: [] })).rows;
  for (const name of ["drained", "deleted"]) {
    const own = await joinTestAgent(api, "system", name);
    const body = { ...anyWork, waitSeconds: 60 };
    const polling = api.call("POST", "/v1/worker/tasks", { key: await own.sign(), body });
    await expect.poll(countWaiting).toBe(1);
    const path = `/v1/projects/system/agents/${name}`;
    await (name === "drained" ? api.must("PATCH", path, { body: { spec: { draining: true } } }) : api.must("DELETE", path));
    await enqueueTask(api);
    const answer = await polling;
    expect([name, answer.status, answer.body]).toMatchObject(
      name === "drained" ? [name, 200, { tasks: [], upgrade: "", draining: true }] : [name, 401, { code: "api.unauthenticated" }],
    );
    expect(await state()).toEqual([{ state: "ready", attempt: 0 }]);
    await api.pool.query({ text: "truncate task, task_line", values: [] });
  }
});

test("M043 a closing server returns an empty list to waiting agents", async () => {
  const second = await startTestApi();
  const count = watchWaiters(second);
  const own = await (await joinTestAgent(second, "system", "edge")).sign();
  const polling = second.call("POST", "/v1/worker/tasks", { key: own, body: { ...anyWork, waitSeconds: 60 } });
  const overConnect = callConnect(second.url, getMethod("Work", "lease"), { ...anyWork, waitSeconds: 60 }, { key: own });
  await expect.poll(count).toBe(2);
  await second.close();
  expect((await polling).body).toEqual({ tasks: [], upgrade: "", draining: false });
  expect((await overConnect).code).toBe("ok");
});

test("M050 an agent may wait with a limited number of calls, and again once they have returned", async () => {
  const leaving = new AbortController();
  const waiting = Array.from({ length: 8 }, () => overRest(leaving.signal, 60).catch(() => []));
  await expect.poll(countWaiting).toBe(8);
  const body = { ...anyWork, waitSeconds: 60 };
  const refused = await api.call("POST", "/v1/worker/tasks", { key, body });
  expect([refused.status, refused.body.code]).toEqual([429, "api.rate_limited"]);
  leaving.abort();
  await Promise.all(waiting);
  await expect.poll(countWaiting).toBe(0);
  expect((await api.call("POST", "/v1/worker/tasks", { key, body: { ...anyWork, waitSeconds: 0 } })).status).toBe(200);
});
