import { create, toBinary } from "@bufbuild/protobuf";
import { getMethod, type Method } from "@cloudwright/contract";
import {
  FinishTaskRequestSchema,
  GetTasksRequestSchema,
  HeartbeatRequestSchema,
} from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { createUid } from "@cloudwright/platform";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendPlain, type PlainAnswer } from "../../testing/plain-call.ts";
import { anyWork, joinTestAgent } from "../../testing/test-agent.ts";
import { startTestApi, type TestApi } from "../../testing/test-api.ts";

let api: TestApi;
let key: string;

beforeAll(async () => {
  api = await startTestApi();
  key = await (await joinTestAgent(api, "system", "ada")).sign();
});
afterAll(() => api.close());

const [lease, renew, finish] = (["lease", "renew", "finish"] as const).map((verb) => getMethod("Work", verb)) as [
  Method,
  Method,
  Method,
];
// Connect's own handler serves requests that have this header.
const byConnect = { "accept-encoding": "identity" };
const unknown = { uid: createUid(0), leaseToken: createUid(0) };
const emptyPoll = Buffer.from(toBinary(GetTasksRequestSchema, create(GetTasksRequestSchema, { ...anyWork, waitSeconds: 0 })));
const seed = randomBytes(64);

function pick({ status, type, body }: PlainAnswer): object {
  return { status, type, body: body.toString("latin1") };
}

test.each<[string, Method, Buffer, { key?: string }]>([
  ["a poll without tasks", lease, emptyPoll, {}],
  ["a report by an agent without the lease", finish, Buffer.from(render({ ...unknown, outcome: "done" })), {}],
  ["an empty heartbeat", renew, Buffer.from(toBinary(HeartbeatRequestSchema, create(HeartbeatRequestSchema, { tasks: [] }))), {}],
  ["an empty report", finish, Buffer.alloc(0), {}],
  ["a report with an unknown outcome", finish, Buffer.from(render({ ...unknown, outcome: "maybe" })), {}],
  ["a report with a malformed uid", finish, Buffer.from(render({ uid: "x", leaseToken: "y", outcome: "done" })), {}],
  ["a message that is not protobuf", finish, Buffer.from("this is not protobuf"), {}],
  ["a call with a wrong token", lease, emptyPoll, { key: "wrong" }],
  ["a call without a token", lease, emptyPoll, { key: undefined as unknown as string }],
  ["a call by a user", lease, emptyPoll, { key: "admin" }],
])("X031 %s gets the same response with and without Connect's handler", async (_, method, body, given) => {
  const who = "key" in given ? (given.key === "admin" ? api.adminKey : given.key) : key;
  const plain = await sendPlain(api.url, method, body, { key: who });
  const connected = await sendPlain(api.url, method, body, { key: who, headers: byConnect });
  expect(pick(plain)).toEqual(pick(connected));
});

test(`X031 random bytes (seed ${seed.toString("hex").slice(0, 16)}) get the same response with and without Connect's handler`, async () => {
  for (let length = 1; length <= seed.length; length += 7) {
    const body = seed.subarray(0, length);
    for (const method of [lease, renew, finish]) {
      const plain = await sendPlain(api.url, method, body, { key });
      const connected = await sendPlain(api.url, method, body, { key, headers: byConnect });
      expect({ sent: body.toString("hex"), ...pick(plain) }).toEqual({ sent: body.toString("hex"), ...pick(connected) });
    }
  }
});

function render(request: { uid: string; leaseToken: string; outcome: string }): Uint8Array {
  return toBinary(FinishTaskRequestSchema, create(FinishTaskRequestSchema, request));
}
