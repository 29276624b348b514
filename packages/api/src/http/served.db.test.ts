import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

describe("M056 replicas that serve only users or only agents", () => {
  let forUsers: TestApi;
  let forAgents: TestApi;
  beforeAll(async () => {
    forUsers = await startTestApi({ served: new Set(["users"]) });
    forAgents = await startTestApi({ served: new Set(["agents"]) });
  });
  afterAll(async () => {
    await forUsers.close();
    await forAgents.close();
  });

  test("reject the other kind of client and say so", async () => {
    expect(await forUsers.call("POST", "/v1/worker/tasks", { body: {} })).toMatchObject({
      status: 503,
      body: { code: "api.not_served" },
    });
    expect(await forAgents.call("GET", "/v1/projects")).toMatchObject({ status: 503, body: { code: "api.not_served" } });
    expect(await forAgents.call("GET", "/v1/projects/default/clusters?watch=true")).toMatchObject({ status: 503 });
  });

  test("serve their own kind of client, and both allow agents to join", async () => {
    expect(await forUsers.call("GET", "/v1/projects")).toMatchObject({ status: 200 });
    expect((await forAgents.call("POST", "/v1/worker/tasks", { body: {} })).status).toBe(403);
    const join = { joinToken: "cwj_unknown", name: "one", publicKey: "{}" };
    for (const api of [forUsers, forAgents]) expect((await api.call("POST", "/v1/join", { body: join })).status).not.toBe(503);
  });
});
