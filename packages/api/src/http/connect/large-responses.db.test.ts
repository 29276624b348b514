import { fromJson, toBinary } from "@bufbuild/protobuf";
import { getMethod, type Json } from "@cloudwright/contract";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { callConnect } from "../../testing/connect-call.ts";
import { createStack, startRun } from "../../testing/state-run.ts";
import { joinTestAgent } from "../../testing/test-agent.ts";
import { startTestApi, type TestApi } from "../../testing/test-api.ts";
import { sendUnread } from "../../testing/unread.ts";

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const { id, descriptor } = getMethod("Project", "get");
const encoded = toBinary(descriptor.input, fromJson(descriptor.input, { name: "default" }));
const message = Buffer.concat([Buffer.from([0, 0, 0, 0, encoded.length]), encoded]);
const protocols = [
  ["Connect", "application/json", Buffer.from('{"name":"default"}')],
  ["gRPC", "application/grpc+proto", message],
] as const;

test.each(protocols)("X063 a caller can keep only a few unread responses in memory, over %s", async (_protocol, type, body) => {
  const [greedy, calm] = await Promise.all(
    ["greedy", "calm"].map((name) => api.createPerson(`${name}-${type.length}`, [{ project: "default", role: "viewer" }])),
  );
  const headers = { ":method": "POST", ":path": `/${id}`, "content-type": type, authorization: `Bearer ${greedy?.key}` };
  const unread = await sendUnread(
    api.url,
    Array.from({ length: 40 }, () => ({ headers, body })),
  );
  onTestFinished(() => unread.close());
  await expect.poll(() => unread.begun()).toBe(16);
  for (let calls = 0; calls < 5; calls += 1)
    expect((await callConnect(api.url, getMethod("Project", "get"), { name: "default" }, { key: calm?.key })).code).toBe("ok");
  expect(unread.begun()).toBe(16);
  const texts = await unread.read();
  expect(texts.filter((text) => text.includes("default"))).toHaveLength(40);
});

describe("X063 a response that is too large for Connect and gRPC", () => {
  test("is refused if it is a document, and the fault names the REST endpoint that returns it", async () => {
    const agent = await (await joinTestAgent(api, "system", "ada")).sign();
    const run = await startRun(api, agent, await createStack(api));
    await run.lock("a");
    const content = JSON.stringify({ version: 4, serial: 1, lineage: "line-1", filler: "x".repeat(3 * 1024 * 1024) });
    expect((await run.post(Buffer.from(content), "a")).status).toBe(200);
    const read = `/v1/projects/default/states/${run.entityUid}/content`;
    for (const protocol of ["connect", "grpc"] as const) {
      const request = { project: "default", name: run.entityUid };
      const options = { key: api.adminKey, protocol };
      const outcome = await callConnect(api.url, getMethod("StateContent", "get"), request, options);
      expect(outcome).toMatchObject({ code: "InvalidArgument", reason: "api.response_too_large" });
      expect(outcome.text).toContain(`GET ${read}`);
    }
    const { status, text } = await api.call("GET", read);
    expect([status, (JSON.parse(text) as { content: string }).content === content]).toEqual([200, true]);
  });

  test("is split into more pages if it is a list", async () => {
    const annotations = Object.fromEntries(Array.from({ length: 6 }, (_, nth) => [`a${nth}`, "y".repeat(16_000)]));
    const names = Array.from({ length: 12 }, (_, nth) => `large-${String(nth).padStart(2, "0")}`);
    for (const name of names)
      await api.must("POST", "/v1/projects/default/environments", { body: { metadata: { name, annotations } } });
    const list = async (kind: string): Promise<{ sizes: number[]; items: Json[] }> => {
      const sizes: number[] = [];
      const items: Json[] = [];
      for (let pageToken = ""; sizes.length === 0 || pageToken !== "";) {
        const request = { project: "default", pageSize: 1000, pageToken };
        const { body } = await callConnect(api.url, getMethod(kind, "list"), request, { key: api.adminKey });
        const page = body as { items?: Json[]; nextPageToken?: string };
        sizes.push(JSON.stringify(body).length);
        items.push(...(page.items ?? []));
        pageToken = page.nextPageToken ?? "";
      }
      return { sizes, items };
    };
    const { sizes, items } = await list("Environment");
    const found = items.map((item) => (item as { metadata: { name: string } }).metadata.name);
    expect(found.filter((name) => name.startsWith("large-"))).toEqual(names);
    expect(sizes.length).toBeGreaterThanOrEqual(6);
    expect(Math.max(...sizes)).toBeLessThan(300 * 1024);
    const { items: whole } = (await api.must("GET", "/v1/projects/default/environments?pageSize=1000")).body;
    expect(whole.map(({ metadata }) => metadata.name)).toEqual(found);
  });
});
