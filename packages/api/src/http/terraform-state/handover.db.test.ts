import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../testing/test-api.ts";
import { createStack, renderTfState, startRun } from "../../testing/state-run.ts";
import { joinTestAgent } from "../../testing/test-agent.ts";

let api: TestApi;
let agents: readonly string[];

beforeAll(async () => {
  api = await startTestApi();
  agents = await Promise.all(["ada", "bob"].map(async (name) => (await joinTestAgent(api, "system", name)).sign()));
});
afterAll(() => api.close());

test("X031 while a lease changes hands, the former holder cannot write unnoticed by the next one", async () => {
  const [ada = "", bob = ""] = agents;
  const entityUid = await createStack(api);
  let serial = 0;
  for (let round = 0; round < 12; round += 1) {
    const former = await startRun(api, ada, entityUid);
    expect((await former.lock(`former-${round}`)).status).toBe(200);
    const over = new AbortController();
    const written: number[] = [];
    const writing = (async () => {
      for (let next = serial + 1; !over.signal.aborted; next += 1) {
        if ((await former.post(renderTfState(next), `former-${round}`)).status === 200) written.push(next);
      }
    })();
    while (written.length < 2) await new Promise(setImmediate);
    await former.finish();
    const next = await startRun(api, bob, entityUid);
    expect((await next.lock(`next-${round}`)).status).toBe(200);
    const { serial: found } = JSON.parse((await next.send("GET")).text) as { serial: number };
    for (let pause = 0; pause < 20; pause += 1) await new Promise(setImmediate);
    // If the former holder had written after the read above, this serial would already be taken.
    expect((await next.post(renderTfState(found + 1, { [`r${round}`]: {} }), `next-${round}`)).status).toBe(200);
    over.abort();
    await writing;
    expect(written.at(-1)).toBe(found);
    serial = found + 1;
    expect((await next.unlock(`next-${round}`)).status).toBe(200);
    await next.finish();
  }
  const text = "select version, serial from state_version where entity_uid = $1 order by version";
  const { rows } = await api.pool.query<{ version: number; serial: number }>({ text, values: [entityUid] });
  expect(rows).toEqual(rows.map((_, index) => ({ version: index + 1, serial: index + 1 })));
});

test("X030 a run whose Terraform was killed releases the lock with the id from the error, and continues", async () => {
  const run = await startRun(api, agents[0] ?? "", await createStack(api));
  await run.lock("killed");
  const refusal = (await run.lock("again")).body as unknown as { ID: string };
  expect((await run.unlock(refusal.ID)).status).toBe(200);
  expect((await run.lock("again")).status).toBe(200);
});

test("M064 all credentials that were created for one lease are valid", async () => {
  const entityUid = await createStack(api);
  const run = await startRun(api, agents[0] ?? "", entityUid);
  const body = { uid: run.taskUid, leaseToken: run.leaseToken };
  const { username, password } = (await api.must("POST", "/v1/worker/state", { key: agents[0], body })).body as unknown as {
    username: string;
    password: string;
  };
  expect(password).not.toBe(run.password);
  const headers = { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
  for (const answer of [await run.send("GET"), await run.send("GET", { headers })]) expect(answer.status).toBe(204);
});

test("M072 states are deleted with their project, and a later project of the same name has none of them", async () => {
  await api.createProject("brief");
  const entityUid = await createStack(api, "brief");
  const run = await startRun(api, agents[0] ?? "", entityUid, { project: "brief" });
  await run.lock("a");
  await run.post(renderTfState(1), "a");
  await run.finish();
  // Removes the entity, as the reconciler does at the end of a deletion.
  await api.pool.query({
    text: "delete from entity where uid = $1 or object -> 'spec' ->> 'entityUid' = $1::text",
    values: [entityUid],
  });
  expect((await api.must("GET", "/v1/projects/brief/states")).body.items).toHaveLength(1);
  await api.must("DELETE", "/v1/projects/brief?cascade=true");
  await api.createProject("brief");
  expect((await api.must("GET", "/v1/projects/brief/states")).body.items).toEqual([]);
  const { rows } = await api.pool.query({ text: "select from state_version where entity_uid = $1", values: [entityUid] });
  expect(rows).toEqual([]);
});
