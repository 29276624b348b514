import { createLogger, createUid, pickChildEnvironment, processEnvironment, Secret, systemClock } from "@cloudwright/platform";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createAgent } from "./agent.ts";
import { registerDemoHandlers } from "./demo/demo-handler.ts";
import { createHandlerRegistry, type HandlerRegistry } from "./registry.ts";
import { startFakeServer, type FakeServer } from "./testing/fake-server.ts";
import { createCleanup, createTestDirectory, startTestAgent } from "./testing/test-agent.ts";

const cleanup = createCleanup();
let server: FakeServer;

beforeEach(async () => {
  server = await startFakeServer({ leaseSeconds: 6 });
  cleanup.add(() => server.close());
});
afterEach(() => cleanup.run());

function demoHandlers(): HandlerRegistry {
  const handlers = createHandlerRegistry();
  registerDemoHandlers(handlers);
  return handlers;
}

test("X020 an outcome is sent until the server responds, and the lease is renewed in the meantime", async () => {
  server.manners.broken.add("finishTask");
  const task = server.enqueue();
  await startTestAgent(server, cleanup, { handlers: demoHandlers() });
  await expect.poll(() => task.reports.length).toBeGreaterThan(2);
  expect(task.state).toBe("leased");
  server.manners.broken.clear();
  await expect.poll(() => task.state).toBe("done");
  expect(task.leases).toBe(1);
});

test("X020 an outcome that was not delivered before the agent stopped is delivered by the next agent, without repeating the work", async () => {
  const handlers = createHandlerRegistry();
  let runs = 0;
  handlers.register({ types: ["*"] }, () => {
    runs += 1;
    return Promise.resolve({ outcome: "done", outputs: { run: runs } });
  });
  server.manners.leaseSeconds = 30;
  server.manners.broken.add("finishTask");
  const task = server.enqueue();
  const first = await startTestAgent(server, cleanup, { handlers });
  await expect.poll(() => runs).toBe(1);
  await first.stop();
  server.manners.broken.clear();
  await startTestAgent(server, cleanup, { handlers, directory: first.directory });
  await expect.poll(() => task.state).toBe("done");
  expect(task.outcomes.map(({ outputs }) => outputs)).toEqual([{ run: 1 }]);
  expect(runs).toBe(1);
});

test("X020 a wall clock that jumps by an hour affects neither lease renewals nor tokens", async () => {
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const token = server.issueJoinToken();
  const agent = createAgent(
    { log: createLogger({ level: "silent", name: "agent" }), registry: demoHandlers(), clock },
    {
      server: server.url,
      name: "agent-a",
      directory: createTestDirectory(cleanup),
      labels: {},
      slots: { long: 1, short: 1 },
      joinToken: () => new Secret(token),
      environment: pickChildEnvironment(processEnvironment),
      stopGraceMs: 0,
      cancelGraceMs: 1000,
    },
  );
  cleanup.add(() => agent.stop());
  await agent.start();
  const task = server.enqueue({ annotations: { "demo.cloudwright.dev/*": "sleep=2s" } });
  await expect.poll(() => task.lines.size).toBeGreaterThan(0);
  aheadMs = 3_600_000;
  await expect.poll(() => task.reports.length).toBeGreaterThan(1);
  aheadMs = -3_600_000;
  await expect.poll(() => task.state).toBe("done");
  expect(task.leases).toBe(1);
});

test("X020 an agent whose clock is off by an hour learns the server's time from a rejection", async () => {
  server.manners.aheadMs = 3_600_000;
  const task = server.enqueue();
  await startTestAgent(server, cleanup, { handlers: demoHandlers() });
  await expect.poll(() => task.state).toBe("done");
});

test("M005 an agent signs its own short-lived tokens, which identify it", async () => {
  const task = server.enqueue();
  await startTestAgent(server, cleanup, { handlers: demoHandlers() });
  await expect.poll(() => task.state).toBe("done");
  const [token = ""] = server.tokens;
  const [uid] = [...server.agents.keys()];
  expect(decodeProtectedHeader(token)).toEqual({ alg: "EdDSA", typ: "agent+jwt", kid: uid });
  const claims = decodeJwt(token);
  expect(claims).toMatchObject({ iss: "cloudwright-agent", aud: "cloudwright", sub: uid });
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300);
});

test("X020 an agent with a full disk fails the task with a specific fault, keeps running, and runs the task once there is space", async () => {
  const directory = createTestDirectory(cleanup);
  writeFileSync(join(directory, "tasks"), "");
  const task = server.enqueue();
  await startTestAgent(server, cleanup, { handlers: demoHandlers(), directory });
  await expect.poll(() => task.outcomes[0]?.fault?.code).toBe("task_client.disk_full");
  rmSync(join(directory, "tasks"));
  await expect.poll(() => task.state).toBe("done");
});

test("X020 work of an earlier process is resumed under the same lease, and the handler is informed", async () => {
  server.manners.leaseSeconds = 30;
  const handlers = createHandlerRegistry();
  const seen: boolean[] = [];
  handlers.register({ types: ["*"] }, ({ resumed }) => {
    seen.push(resumed);
    return Promise.resolve({ outcome: "done" });
  });
  const agent = await startTestAgent(server, cleanup, { handlers: createHandlerRegistry(), slots: { long: 0, short: 0 } });
  await agent.stop();
  const task = server.enqueue();
  const leaseToken = "01890000-0000-4000-8000-000000000000";
  Object.assign(task, { state: "leased", leaseToken, expiresAtMs: Infinity, attempt: 1, leases: 1 });
  writeLease(agent.directory, task.uid, { ...task.init, leaseToken, attempt: 1, leaseSeconds: 30 });
  const gone = createUid(0);
  writeLease(agent.directory, gone, { uid: gone, leaseToken, type: "network.apply", leaseSeconds: 30 });
  await startTestAgent(server, cleanup, { handlers, directory: agent.directory });
  await expect.poll(() => task.state).toBe("done");
  expect(seen).toEqual([true]);
});

function writeLease(directory: string, uid: string, leased: object): void {
  mkdirSync(join(directory, "tasks", uid), { recursive: true });
  writeFileSync(join(directory, "tasks", uid, "journal.jsonl"), `${JSON.stringify({ leased })}\n`);
}

test("M027 an unknown payload version is a permanent fault, and a type without a handler is left to other agents", async () => {
  const handlers = createHandlerRegistry();
  handlers.register({ types: ["network.apply"] }, () => Promise.resolve({ outcome: "done" }));
  const newer = server.enqueue({ payloadVersion: 6 });
  const other = server.enqueue({ type: "cluster.apply" });
  await startTestAgent(server, cleanup, { handlers });
  await expect.poll(() => newer.outcomes[0]?.fault).toMatchObject({ code: "task_client.bad_payload", permanent: true });
  await expect.poll(() => other.outcomes[0]?.fault).toMatchObject({ code: "task_client.no_handler", permanent: false });
});

test("M044 an agent reports its identity, its abilities and the payload versions it can read", async () => {
  const handlers = createHandlerRegistry();
  handlers.register({ types: ["network.apply"] }, () => Promise.resolve({ outcome: "done" }));
  await startTestAgent(server, cleanup, { handlers, labels: { cloud: "aws,gcp", region: "*" } });
  await expect
    .poll(() => server.polls[0])
    .toMatchObject({
      labels: { cloud: "aws,gcp", region: "*" },
      types: ["network.apply"],
      minPayloadVersion: 1,
      maxPayloadVersion: 5,
    });
});
