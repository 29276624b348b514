import { once } from "node:events";
import { connect as connectHttp2, type ClientHttp2Stream } from "node:http2";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import type { UploadLimits } from "../../documents/upload-turns.ts";
import { createStack, startRun, type StateRun } from "../../testing/state-run.ts";
import { joinTestAgent } from "../../testing/test-agent.ts";
import { startTestApi, type TestApi } from "../../testing/test-api.ts";

const mebibyte = 1024 * 1024;

/** Starts a server with these limits and a run that holds the lock on its state. */
async function startLimited(limits: Partial<UploadLimits>): Promise<{ api: TestApi; run: StateRun }> {
  const api = await startTestApi({ uploads: { total: 2, perProject: 2, perAgent: 2, waitMs: 60_000, ...limits } });
  onTestFinished(() => api.close());
  const agent = await (await joinTestAgent(api, "system", "ada")).sign();
  const run = await startRun(api, agent, await createStack(api));
  expect((await run.lock("a")).status).toBe(200);
  return { api, run };
}

const authorise = ({ username, password }: StateRun): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

/** Starts an upload over HTTP/1.1 and sends only the first bytes of its body. */
async function stallHttp1({ url }: TestApi, run: StateRun, lock = "a", bytes = 2 * mebibyte): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on("error", () => undefined).resume();
  await once(socket, "connect");
  const head = `POST ${run.path}?ID=${lock} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorise(run)}\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: ${bytes}\r\n\r\n{"serial":`);
  return socket;
}

/** Starts an upload over HTTP/2 and sends only the first bytes of its body. */
async function stallHttp2({ url }: TestApi, run: StateRun): Promise<ClientHttp2Stream> {
  const session = connectHttp2(url);
  session.on("error", () => undefined);
  await once(session, "connect");
  const headers = { ":method": "POST", ":path": `${run.path}?ID=a`, authorization: authorise(run) };
  const stream = session.request({ ...headers, "content-length": 2 * mebibyte }, { endStream: false });
  stream.on("error", () => undefined).on("close", () => session.destroy());
  stream.resume().write('{"serial":');
  return stream;
}

const large = (): Buffer => Buffer.from(JSON.stringify({ serial: 1, lineage: "line-1", filler: "x".repeat(2 * mebibyte) }));

const closing = (stream: Duplex): Promise<unknown> => new Promise((resolve) => void stream.once("close", resolve));

test("X063 uploads whose bodies stop arriving are disconnected and release their turns, over HTTP/1.1 and HTTP/2", async () => {
  const { api, run } = await startLimited({ receiveMs: 300 });
  const closed = [await stallHttp1(api, run), await stallHttp2(api, run)].map(closing);
  // Both slots are in use. This upload waits until one is free.
  expect((await run.post(large(), "a")).status).toBe(200);
  await Promise.all(closed);
  const connections = /^cloudwright_connections (\d+)$/m;
  await expect.poll(async () => Number(connections.exec((await api.call("GET", "/metrics")).text)?.[1])).toBeLessThanOrEqual(4);
});

test.each([
  ["large", 2 * mebibyte],
  ["small", 1000],
])(
  "X063 %s uploads beyond the number that may wait get 429 and Retry-After, and disconnected ones make room",
  async (_, bytes) => {
    const { api, run } = await startLimited({ waiting: 3 });
    const answers: string[] = [];
    const stalled = await Promise.all(Array.from({ length: 10 }, () => stallHttp1(api, run, "a", bytes)));
    for (const socket of stalled) socket.on("data", (chunk: Buffer) => answers.push(chunk.toString()));
    await expect.poll(() => answers.length).toBe(5);
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 429 .*\r\nretry-after: 5\r\n.*api.uploads_busy/is);
    for (const socket of stalled) socket.destroy();
    const content = bytes > mebibyte ? large() : Buffer.from('{"serial":1,"lineage":"line-1"}');
    await expect.poll(async () => (await run.post(content, "a")).status).toBe(200);
  },
);

test("X063 an upload by a run that does not hold the lock is refused before the server has received its body", async () => {
  const { api, run } = await startLimited({});
  for (const bytes of [1000, 2 * mebibyte]) {
    const socket = await stallHttp1(api, run, "b", bytes);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 409 .*api.state_not_held/is);
    socket.destroy();
  }
});

test("X063 a heartbeat does not wait while a plan of the same task is being stored", async () => {
  const api = await startTestApi();
  onTestFinished(() => api.close());
  const agent = await (await joinTestAgent(api, "system", "ada")).sign();
  const run = await startRun(api, agent, await createStack(api), { work: { type: "network.plan" } });
  const plan = { serial: 0, lineage: "", counts: {}, changes: [], drift: [], parcel: Buffer.from("plan").toString("base64") };
  const put = (): ReturnType<StateRun["send"]> =>
    run.send("PUT", { body: Buffer.from(JSON.stringify(plan)), query: `/plans/${run.taskUid}` });
  expect((await put()).status).toBe(204);
  const [isLocked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // While the plan's row is locked, the next version of the plan cannot be stored completely.
  const holding = api.pool.transaction(async (database) => {
    await database.query({ text: "select from plan where uid = $1 for update", values: [run.taskUid] });
    isLocked.resolve();
    await release.promise;
  });
  await isLocked.promise;
  const storing = put();
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(async () => (await api.pool.query({ text: waiting, values: [] })).rows.length).toBeGreaterThan(0);
  const tasks = [{ uid: run.taskUid, leaseToken: run.leaseToken }];
  const { status, text } = await api.send({ method: "POST", path: "/v1/worker/heartbeat", key: agent, body: { tasks } });
  expect([status, text]).toEqual([200, expect.stringContaining('"renewed":true')]);
  release.resolve();
  await holding;
  expect((await storing).status).toBe(204);
});
