import type { EntityJson } from "@cloudwright/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { clearWakes, enqueueTask, markLeased, readOperation, readTask, readWakes, setOperationState } from "../testing/work.ts";

const base = "/v1/projects/default";

let api: TestApi;
let ada: Person;
let account: EntityJson;
let operation: EntityJson;
let made = 0;

beforeAll(async () => {
  api = await startTestApi();
  ada = await api.createPerson("ada", [{ project: "default", role: "editor" }]);
});
afterAll(() => api.close());
beforeEach(async () => {
  made += 1;
  const created = await createAccount("default", `a-${made}`);
  account = created.body;
  operation = await readOperation(api, created);
  await clearWakes(api);
});

function createAccount(project: string, name: string): Promise<TestAnswer> {
  return api.must("POST", `/v1/projects/${project}/accounts`, {
    body: { metadata: { name }, spec: { simulated: true, aws: {} } },
  });
}

function act(verb: string, { metadata }: EntityJson = operation): Promise<TestAnswer> {
  return api.call("POST", `${base}/operations/${metadata.name}:${verb}`, { key: ada.key, body: {} });
}

function setState(state: string): Promise<void> {
  return setOperationState(api, operation.metadata.uid ?? "", state);
}

describe("M052 a cancelled operation", () => {
  test("names the caller, withdraws its tasks and wakes its entity", async () => {
    const mine = await enqueueTask(api, account, operation.metadata.uid ?? "");
    const other = await enqueueTask(api, (await createAccount("default", `b-${made}`)).body);
    await clearWakes(api);
    const [wakes, tasks] = [api.deps.wakes.version(), api.deps.taskSignal.version()];
    const answer = await act("cancel");
    const path = `${base}/operations/${operation.metadata.name}`;
    expect([answer.status, answer.headers.location, answer.headers["operation-location"]]).toEqual([202, path, path]);
    expect(answer.body.spec["cancelReason"]).toBe("cancelled by ada");
    expect(answer.body.status["state"]).toBe("WAITING");
    expect(await readTask(api, mine)).toEqual({ state: "cancelled", cancel_reason: "cancelled by ada" });
    expect(await readTask(api, other)).toEqual({ state: "ready", cancel_reason: "" });
    expect([...(await readWakes(api)).keys()]).toEqual([account.metadata.uid]);
    expect(api.deps.wakes.version()).toBeGreaterThan(wakes);
    expect(api.deps.taskSignal.version()).toBeGreaterThan(tasks);
    expect((await act("cancel")).body).toEqual(answer.body);
  });

  test("stops tasks that still run on its entity for an operation it superseded", async () => {
    const earlier = await enqueueTask(api, account);
    await markLeased(api, earlier);
    await act("cancel");
    expect(await readTask(api, earlier)).toEqual({ state: "leased", cancel_reason: "cancelled by ada" });
  });

  test("also wakes its entity before there are tasks", async () => {
    await setState("RUNNING");
    expect((await act("cancel")).status).toBe(202);
    expect(await readWakes(api)).toEqual(new Map([[account.metadata.uid, 1]]));
  });

  test.each(["DONE", "FAILED", "CANCELLED"])("that is already %s stays as it is", async (state) => {
    await setState(state);
    const answer = await act("cancel");
    expect([answer.status, answer.body.code]).toEqual([409, "api.operation_ended"]);
    expect(await readWakes(api)).toEqual(new Map());
  });
});

describe("M048 a retried operation", () => {
  test.each(["FAILED", "CANCELLED"])("that was %s waits again and wakes its entity", async (state) => {
    await act("cancel");
    await setState(state);
    await clearWakes(api);
    const answer = await act("retry");
    expect(answer.status).toBe(202);
    expect(answer.body.spec).toMatchObject({ retries: 1, cancelReason: "" });
    expect(answer.body.status).toMatchObject({ state: "WAITING" });
    expect(answer.body.status).not.toHaveProperty("endedAt");
    expect(await readWakes(api)).toEqual(new Map([[account.metadata.uid, 1]]));
    await setState(state);
    expect((await act("retry")).body.spec["retries"]).toBe(2);
  });

  test.each(["WAITING", "RUNNING", "DONE"])("is rejected while it is %s", async (state) => {
    await setState(state);
    const answer = await act("retry");
    expect([answer.status, answer.body.code]).toEqual([409, "api.not_retryable"]);
    expect(await readWakes(api)).toEqual(new Map());
  });

  test("is rejected if a newer change was requested, or its entity is gone", async () => {
    await setState("FAILED");
    const path = `${base}/accounts/${account.metadata.name}`;
    await api.must("PATCH", path, { body: { spec: { aws: { accountId: "123456789012" } } } });
    expect((await act("retry")).body.code).toBe("api.not_retryable");
    await api.must("DELETE", path);
    expect((await act("retry")).body.code).toBe("api.not_retryable");
  });
});

describe("M005 an operation on an entity that moved to another environment", () => {
  test("can be neither cancelled nor retried by a caller without access to the new environment", async () => {
    for (const name of [`dev-${made}`, `prod-${made}`])
      await api.must("POST", `${base}/environments`, { body: { metadata: { name } } });
    const bob = await api.createPerson(`bob-${made}`, [{ project: "default", role: "editor", environment: `dev-${made}` }]);
    const metadata = { name: `moved-${made}`, environment: `dev-${made}` };
    const created = await api.must("POST", `${base}/accounts`, { body: { metadata, spec: { simulated: true, aws: {} } } });
    const opened = await readOperation(api, created);
    const actAsBob = (verb: string): Promise<TestAnswer> =>
      api.call("POST", `${base}/operations/${opened.metadata.name}:${verb}`, { key: bob.key, body: {} });
    await api.must("PATCH", `${base}/accounts/moved-${made}`, { body: { metadata: { environment: `prod-${made}` } } });
    const answers = [await actAsBob("cancel")];
    await setOperationState(api, opened.metadata.uid ?? "", "FAILED");
    answers.push(await actAsBob("retry"));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [403, "api.denied"],
      [403, "api.denied"],
    ]);
  });
});

describe("X012 a pause", () => {
  test("of an entity wakes it, and of a project wakes everything in it that has work; repeating it wakes nothing", async () => {
    const other = (await createAccount("system", `s-${made}`)).body.metadata.uid;
    await clearWakes(api);
    for (const verb of ["pause", "resume"]) {
      await api.must("POST", `${base}/accounts/${account.metadata.name}:${verb}`, { body: {} });
      expect([...(await readWakes(api)).keys()]).toEqual([account.metadata.uid]);
      await clearWakes(api);
      await api.must("POST", `${base}:${verb}`, { body: {} });
      const woken = await readWakes(api);
      expect([woken.has(account.metadata.uid ?? ""), woken.has(operation.metadata.uid ?? ""), woken.has(other ?? "")]).toEqual([
        true,
        false,
        false,
      ]);
      await clearWakes(api);
      await api.must("POST", `${base}:${verb}`, { body: {} });
      expect(await readWakes(api)).toEqual(new Map());
    }
  });

  test("of the system project wakes everything on the platform", async () => {
    const other = (await createAccount("system", `s-${made}`)).body.metadata.uid ?? "";
    await clearWakes(api);
    await api.must("POST", "/v1/projects/system:pause", { body: {} });
    const woken = await readWakes(api);
    expect([woken.get(other), woken.get(account.metadata.uid ?? "")]).toEqual([1, 1]);
    await api.must("POST", "/v1/projects/system:resume", { body: {} });
  });

  test("of a project requires the admin role in it", async () => {
    const answer = await api.call("POST", `${base}:pause`, { key: ada.key, body: {} });
    expect([answer.status, answer.body.code]).toEqual([403, "api.denied"]);
  });
});
