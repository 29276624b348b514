import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createStack, startRun, type StateRun } from "../../testing/state-run.ts";
import { joinTestAgent } from "../../testing/test-agent.ts";
import { startTestApi, type TestApi } from "../../testing/test-api.ts";
import { sendUnread, type UnreadRequests } from "../../testing/unread.ts";

let api: TestApi;
let agent: string;

beforeAll(async () => {
  api = await startTestApi();
  agent = await (await joinTestAgent(api, "system", "ada")).sign();
});
afterAll(() => api.close());

/** Starts a run whose state has a size of about `bytes`. */
async function startWithState(project: string, bytes: number): Promise<StateRun> {
  const run = await startRun(api, agent, await createStack(api, project), { project });
  await run.lock("a");
  const content = Buffer.from(JSON.stringify({ serial: 1, lineage: "line-1", filler: "x".repeat(bytes) }));
  expect((await run.post(content, "a")).status).toBe(200);
  return run;
}

const readUnread = (runs: readonly StateRun[], times: number): Promise<UnreadRequests> =>
  sendUnread(
    api.url,
    runs.flatMap(({ path, username, password }) =>
      Array.from({ length: times }, () => ({
        headers: { ":path": path, authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` },
      })),
    ),
  );

test("X063 runs of one project can keep only four large states unread, and the runs of another project can still read theirs", async () => {
  await api.createProject("hostile");
  const hostile = [];
  for (let nth = 0; nth < 4; nth += 1) hostile.push(await startWithState("hostile", 400_000));
  const small = await startWithState("hostile", 1000);
  const calm = await startWithState("default", 400_000);
  const unread = await readUnread(hostile, 3);
  onTestFinished(() => unread.close());
  await expect.poll(() => unread.begun()).toBe(4);
  expect((await calm.send("GET")).status).toBe(200);
  // Reading a small state does not count against the project's limit.
  expect((await small.send("GET")).status).toBe(200);
  expect(unread.begun()).toBe(4);
  const sizes = (await unread.read()).map(({ length }) => length);
  expect([sizes.length, Math.min(...sizes) > 400_000]).toEqual([12, true]);
});

test("X063 users of one project can keep only four of its states unread, and can still read another project's states", async () => {
  await api.createProject("crowded");
  const [hostile, calm] = [await startWithState("crowded", 400_000), await startWithState("default", 400_000)];
  const roles = ["crowded", "default"].map((project) => ({ project, role: "admin" as const }));
  const people = await Promise.all(["ann", "bob", "eve"].map((name) => api.createPerson(name, roles)));
  const requests = people.flatMap(({ key }) => {
    const headers = { ":path": `/v1/projects/crowded/states/${hostile.entityUid}/content`, authorization: `Bearer ${key}` };
    return Array.from({ length: 3 }, () => ({ headers }));
  });
  const unread = await sendUnread(api.url, requests);
  onTestFinished(() => unread.close());
  await expect.poll(() => unread.begun()).toBe(4);
  for (const { key } of people)
    expect((await api.call("GET", `/v1/projects/default/states/${calm.entityUid}/content`, { key })).status).toBe(200);
  expect(unread.begun()).toBe(4);
  const texts = await unread.read();
  expect([texts.length, Math.min(...texts.map(({ length }) => length)) > 400_000]).toEqual([9, true]);
});

test("X063 a run can keep only two small states unread", async () => {
  const run = await startWithState("default", 1000);
  const unread = await readUnread([run], 10);
  onTestFinished(() => unread.close());
  await expect.poll(() => unread.begun()).toBe(2);
  expect(await unread.read()).toHaveLength(10);
});
