import { createManualClock } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import type { EventStream } from "../testing/event-stream.ts";

const agents = "/v1/projects/default/agents";

let api: TestApi;
let made = 0;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

async function createWatcher(): Promise<{ person: Person; streams: EventStream[] }> {
  made += 1;
  const person = await api.createPerson(`watcher-${made}`, [{ project: "default", role: "viewer" }]);
  const streams = [];
  for (const path of [`${agents}?watch=true`, "/v1/projects/default/watch"]) {
    const stream = await api.watch(path, { key: person.key });
    await stream.until(({ type }) => type === "SYNCED");
    streams.push(stream);
  }
  return { person, streams };
}

async function codesAtEnd(streams: readonly EventStream[]): Promise<string[]> {
  const ends = await Promise.all(streams.map(async (stream) => (await stream.rest()).at(-1)));
  return ends.map((event) => `${event?.type} ${event?.data.code}`);
}

const ended = ["ERROR api.unauthenticated", "ERROR api.unauthenticated"];

describe("X002 M008 a watch ends when the rights it was opened with change:", () => {
  test.each<[what: string, change: (person: Person) => Promise<unknown>]>([
    ["the role is removed", ({ name }) => api.must("DELETE", `/v1/projects/default/rolebindings/${name}-0`)],
    [
      "the role is changed",
      ({ name }) => api.must("PATCH", `/v1/projects/default/rolebindings/${name}-0`, { body: { spec: { role: "agent" } } }),
    ],
    ["the key is revoked", ({ name }) => api.must("DELETE", `/v1/apikeys/${name}-key`)],
    ["the key is replaced", ({ name }) => api.must("POST", `/v1/apikeys/${name}-key:rotate`, { body: {} })],
    ["the user is disabled", ({ name }) => api.must("PATCH", `/v1/users/${name}`, { body: { spec: { disabled: true } } })],
    ["the user is deleted", ({ name }) => api.must("DELETE", `/v1/users/${name}?cascade=true`)],
  ])("%s", async (_, change) => {
    const { person, streams } = await createWatcher();
    await change(person);
    expect(await codesAtEnd(streams)).toEqual(ended);
  });

  test("but not when the rights of others change", async () => {
    const { streams } = await createWatcher();
    const other = await createWatcher();
    await api.must("DELETE", `/v1/users/${other.person.name}?cascade=true`);
    expect(await codesAtEnd(other.streams)).toEqual(ended);
    await api.must("POST", agents, { body: { metadata: { name: `after-${made}` } } });
    for (const stream of streams) {
      const seen = await stream.until(({ data }) => data.object.metadata.name === `after-${made}`);
      expect(seen.map(({ type }) => type)).not.toContain("ERROR");
      stream.close();
    }
  });
});

test("X002 M006 a watch ends when the key it was opened with expires", async () => {
  // The clock is frozen, so the key stays valid no matter how long it takes to open the watch.
  const clock = createManualClock();
  const still = await startTestApi({ clock });
  onTestFinished(() => still.close());
  const expiresAt = new Date(clock.now() + 20).toISOString();
  const { body } = await still.must("POST", "/v1/apikeys", { body: { metadata: { name: "brief" }, spec: { expiresAt } } });
  const stream = await still.watch(`${agents}?watch=true`, { key: body.status["key"] as string });
  expect(await codesAtEnd([stream])).toEqual(["ERROR api.unauthenticated"]);
});

test("X002 a client that reads too slowly is disconnected with a fault, and can list everything again", async () => {
  await api.must("POST", agents, { body: { metadata: { name: "busy" } } });
  const { resourceVersion } = (await api.must("GET", agents)).body;
  const stream = await api.watch(`${agents}?watch=true&resourceVersion=${resourceVersion}`);
  const watchers = async (): Promise<string | undefined> =>
    /^cloudwright_watchers (\d+)$/m.exec((await api.call("GET", "/metrics")).text)?.[1];
  // The test reads nothing from here on, so the server has to buffer whatever exceeds the socket buffers.
  const text = "x".repeat(16_000);
  const annotations = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`a${index}`, text]));
  let rounds = 0;
  while ((await watchers()) === "1" && rounds < 200) {
    rounds += 1;
    await api.must("PATCH", `${agents}/busy`, { body: { metadata: { annotations: { ...annotations, round: String(rounds) } } } });
  }
  expect(await watchers()).toBe("0");
  const seen = await stream.rest();
  expect(seen.at(-1)).toMatchObject({ type: "ERROR", data: { code: "api.watch_too_slow" } });
  const { items } = (await api.must("GET", `${agents}?filter=metadata.name%3Dbusy`)).body;
  expect(items[0]?.metadata.annotations?.["round"]).toBe(String(rounds));
});

test("X002 a watch requested with HEAD returns its headers and ends", async () => {
  const answer = await api.call("HEAD", `${agents}?watch=true`);
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/event-stream; charset=utf-8"]);
  expect((await api.call("GET", "/metrics")).text).toMatch(/^cloudwright_watchers 0$/m);
});

test("X002 a client that disconnects is forgotten", async () => {
  const stream = await api.watch(`${agents}?watch=true`);
  await stream.until(({ type }) => type === "SYNCED");
  expect((await api.call("GET", "/metrics")).text).toMatch(/^cloudwright_watchers 1$/m);
  stream.close();
  await expect.poll(async () => (await api.call("GET", "/metrics")).text).toMatch(/^cloudwright_watchers 0$/m);
});

test("X002 a stopping server notifies its watchers", async () => {
  const replica = await startTestApi();
  const stream = await replica.watch(`${agents}?watch=true`);
  await stream.until(({ type }) => type === "SYNCED");
  const [codes] = await Promise.all([codesAtEnd([stream]), replica.close()]);
  expect(codes).toEqual(["ERROR api.shutting_down"]);
});
