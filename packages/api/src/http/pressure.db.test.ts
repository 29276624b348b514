import { connect } from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

async function watchers(): Promise<string | undefined> {
  return /^cloudwright_watchers (\d+)$/m.exec((await api.call("GET", "/metrics")).text)?.[1];
}

test("M006 many concurrent rotations neither fail nor delay other calls", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `spin-${index}`);
  for (const name of names) await api.must("POST", "/v1/apikeys", { body: { metadata: { name } } });
  const rotations = names.flatMap((name) => [1, 2].map(() => api.call("POST", `/v1/apikeys/${name}:rotate`)));
  const reads = names.map(() => api.call("GET", "/v1/whoami"));
  const answers = await Promise.all([...rotations, ...reads]);
  expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
});

test("X002 a client that disconnects before its watch is open is forgotten", async () => {
  const { hostname, port } = new URL(api.url);
  for (let round = 0; round < 40; round += 1) {
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write(
      `GET /v1/projects/default/agents?watch=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.adminKey}\r\n\r\n`,
    );
    await new Promise((resolve) => setImmediate(resolve));
    socket.resetAndDestroy();
  }
  await expect.poll(watchers).toBe("0");
});

test("M024 concurrent cascades and creates do not cause server errors", async () => {
  const statuses: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    const project = `meet-${round}`;
    await api.createProject(project);
    const base = `/v1/projects/${project}`;
    await api.must("POST", `${base}/accounts`, { body: { metadata: { name: "a" }, spec: { aws: {} } } });
    const creates = Array.from({ length: 6 }, (_, index) =>
      api.call("POST", `${base}/networks`, { body: { metadata: { name: `n${index}` }, spec: { account: "a" } } }),
    );
    const removals = [
      api.call("DELETE", `${base}/accounts/a?cascade=true`),
      api.call("DELETE", `/v1/projects/${project}?cascade=true`),
    ];
    statuses.push(...(await Promise.all([...creates, ...removals])).map(({ status }) => status));
  }
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
});

test("M025 concurrent changes to different fields are all applied", async () => {
  await api.must("POST", "/v1/projects/default/agents", { body: { metadata: { name: "busy" } } });
  const labels = Array.from({ length: 20 }, (_, index) => `l${index}`);
  const patch = (label: string): ReturnType<TestApi["call"]> =>
    api.call("PATCH", "/v1/projects/default/agents/busy", { body: { metadata: { labels: { [label]: "x" } } } });
  const answers = await Promise.all(labels.map(patch));
  expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
  const { body } = await api.must("GET", "/v1/projects/default/agents/busy");
  expect(Object.keys(body.metadata.labels ?? {})).toHaveLength(labels.length);
});

test("M031 a page of large entities ends early, and the next page continues", async () => {
  const text = "x".repeat(16_000);
  const annotations = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`a${index}`, text]));
  const names = Array.from({ length: 40 }, (_, index) => `large-${String(index).padStart(2, "0")}`);
  await Promise.all(
    names.map((name) => api.must("POST", "/v1/projects/default/environments", { body: { metadata: { name, annotations } } })),
  );
  const seen: (string | undefined)[] = [];
  let pages = 0;
  let token = "";
  do {
    const { body } = await api.must("GET", `/v1/projects/default/environments?pageSize=1000&pageToken=${token}`);
    seen.push(...body.items.map(({ metadata }) => metadata.name));
    token = body.nextPageToken;
    pages += 1;
  } while (token !== "");
  expect(seen).toEqual(names);
  expect(pages).toBe(2);
});

test("M025 a cluster whose file does not name a version keeps its version", async () => {
  const base = "/v1/projects/default";
  await api.must("POST", `${base}/accounts`, { body: { metadata: { name: "v" }, spec: { aws: {} } } });
  await api.must("POST", `${base}/networks`, { body: { metadata: { name: "v" }, spec: { account: "v" } } });
  const file = { metadata: { name: "v" }, spec: { network: "v", workers: 2 } };
  await api.must("POST", `${base}/clusters`, { body: file });
  await api.must("PATCH", `${base}/clusters/v`, { body: { spec: { version: "1.35" } } });
  const applied = await api.must("PUT", `${base}/clusters/v?allowMissing=true`, { body: file });
  expect(applied.body.spec["version"]).toBe("1.35");
});
