import { methods, type Method } from "@cloudwright/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { watchConnect } from "../testing/connect-stream.ts";
import type { StreamEvent } from "../testing/event-stream.ts";

const agents = "/v1/projects/default/agents";
const watchAgents = methods.find(({ verb, kind }) => verb === "watch" && kind === "Agent") as Method;

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

function isLast({ data }: StreamEvent): boolean {
  return data.object?.metadata.name === "last";
}

async function collect(events: AsyncIterable<StreamEvent>, until: (event: StreamEvent) => boolean): Promise<StreamEvent[]> {
  const seen: StreamEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (until(event)) return seen;
  }
  throw new Error("the stream ended");
}

test("X002 a watch over Connect sends the same as one over REST", async () => {
  await api.must("POST", agents, { body: { metadata: { name: "first" } } });
  const rest = await api.watch(`${agents}?watch=true`);
  const rpc = watchConnect(api.url, watchAgents, { project: "default" }, api.adminKey);
  const existing = [
    await rest.until(({ type }) => type === "SYNCED"),
    [await rpc.next(), await rpc.next()].map(({ value }) => value as StreamEvent),
  ];
  expect(existing.map((events) => events.map(({ type }) => type))).toEqual([
    ["ADDED", "SYNCED"],
    ["ADDED", "SYNCED"],
  ]);
  await api.must("PATCH", `${agents}/first`, { body: { spec: { description: "changed" } } });
  await api.must("DELETE", `${agents}/first`);
  await api.must("POST", agents, { body: { metadata: { name: "last" } } });
  const [overRest, overConnect] = [await rest.until(isLast), await collect(rpc, isLast)];
  rest.close();
  const plain = ({ type, id, data: { kind, object } }: StreamEvent): unknown => ({ type, id, kind, object });
  expect(overConnect.map(plain)).toEqual(overRest.map(plain));
  expect(overConnect.map(({ type }) => type)).toEqual(["MODIFIED", "DELETED", "ADDED"]);
});

test("X002 many existing entities do not make a client slow", async () => {
  await api.createProject("large");
  // 24 MB exceeds both the allowed backlog and the socket buffers of the connection.
  await api.pool.query({
    text: `insert into entity (uid, kind, project, name, labels, resource_version, created_at, updated_at, object)
      select gen_random_uuid(), 'Agent', 'large', 'a-' || n, '{}', n, now(), now(), json_build_object('metadata',
        json_build_object('name', 'a-' || n), 'spec', json_build_object('description', repeat('x', 8000)), 'status', '{}'::json)
      from generate_series(1, 3000) n`,
    values: [],
  });
  const path = "/v1/projects/large/agents";
  const stream = await api.watch(`${path}?watch=true`);
  const scanned = api
    .watch(`${path}?watch=true`)
    .then((second) => second.until(({ type }) => type === "SYNCED").then(() => second.close()));
  for (const name of ["more", "still-more"]) await api.must("POST", path, { body: { metadata: { name } } });
  await scanned;
  await api.must("POST", path, { body: { metadata: { name: "last" } } });
  const names = (await stream.until(isLast)).filter(({ type }) => type === "ADDED").map(({ data }) => data.object.metadata.name);
  stream.close();
  expect([names.length, new Set(names).size]).toEqual([3003, 3003]);
});
