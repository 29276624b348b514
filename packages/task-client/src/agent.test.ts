import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Secret } from "@cloudwright/platform";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { registerDemoHandlers } from "./demo/demo-handler.ts";
import type { HandlerContext, StateEndpoint } from "./handler.ts";
import { createHandlerRegistry } from "./registry.ts";
import { startFakeServer, type FakeServer } from "./testing/fake-server.ts";
import { createCleanup, startTestAgent } from "./testing/test-agent.ts";

const cleanup = createCleanup();
let server: FakeServer;

beforeEach(async () => {
  server = await startFakeServer({ leaseSeconds: 10 });
  cleanup.add(() => server.close());
});
afterEach(() => cleanup.run());

function demoHandlers() {
  const handlers = createHandlerRegistry();
  registerDemoHandlers(handlers);
  return handlers;
}

test("M044 an agent leases tasks of both lanes, runs them and reports their outputs", async () => {
  const network = server.enqueue({ type: "network.apply" });
  const check = server.enqueue({ type: "storage.apply", lane: "short" });
  await startTestAgent(server, cleanup, { handlers: demoHandlers() });
  await expect.poll(() => [network.state, check.state]).toEqual(["done", "done"]);
  expect(network.outcomes[0]?.outputs).toMatchObject({ network_id: expect.stringContaining("demo-network-") });
  expect(check.outcomes[0]?.outputs).toMatchObject({ resource_id: expect.any(String) });
});

test("M044 a waiting agent gets a task that is enqueued later", async () => {
  await startTestAgent(server, cleanup, { handlers: demoHandlers() });
  await expect.poll(() => server.polls.length).toBeGreaterThanOrEqual(2);
  const task = server.enqueue();
  await expect.poll(() => task.state).toBe("done");
});

test("M045 an agent holds no more tasks of a lane than it has slots", async () => {
  const handlers = createHandlerRegistry();
  const begun: string[] = [];
  const gate = Promise.withResolvers<void>();
  handlers.register({ types: ["*"] }, async ({ task }) => {
    begun.push(task.uid);
    await gate.promise;
    return { outcome: "done" };
  });
  const all = Array.from({ length: 5 }, () => server.enqueue());
  await startTestAgent(server, cleanup, { handlers, slots: { long: 2, short: 1 } });
  await expect.poll(() => begun.length).toBe(2);
  const short = server.enqueue({ lane: "short" });
  await expect.poll(() => begun).toContain(short.uid);
  expect(all.filter((task) => task.state === "leased")).toHaveLength(2);
  gate.resolve();
  await expect.poll(() => all.every((task) => task.state === "done")).toBe(true);
});

test("M052 programs run, write lines and progress, and have exited when the task ends", async () => {
  const task = server.enqueue({ annotations: { "demo.cloudwright.dev/*": "sleep=400ms" } });
  const agent = await startTestAgent(server, cleanup, { handlers: demoHandlers() });
  await expect.poll(() => task.state).toBe("done");
  expect([...task.lines.values()]).toEqual(expect.arrayContaining(["beat 1 of 2", "beat 2 of 2"]));
  await expect.poll(() => readdirSync(join(agent.directory, "tasks"))).toEqual([]);
});

test("M053 a handler that throws fails its task with its own code, and the agent continues", async () => {
  const handlers = demoHandlers();
  handlers.register({ types: ["network.destroy"] }, () => Promise.reject(new TypeError("undefined is not a function")));
  const bad = server.enqueue({ type: "network.destroy" });
  const good = server.enqueue();
  await startTestAgent(server, cleanup, { handlers });
  await expect.poll(() => good.state).toBe("done");
  await expect.poll(() => bad.outcomes[0]?.fault?.code).toBe("task_client.handler_failed");
  expect(bad.outcomes[0]?.fault?.permanent).toBe(false);
});

test("M053 a demo task that fails twice succeeds at the third attempt", async () => {
  const task = server.enqueue({ annotations: { "demo.cloudwright.dev/apply": "fail=2" } });
  await startTestAgent(server, cleanup, { handlers: demoHandlers() });
  await expect.poll(() => task.state).toBe("done");
  expect(task.outcomes.map(({ outcome }) => outcome)).toEqual(["failed", "failed", "done"]);
  expect(task.outcomes[0]?.fault?.code).toBe("task_client.demo_failure");
});

test("M053 a program that is killed by a signal fails the attempt, not the agent", async () => {
  const task = server.enqueue({ annotations: { "demo.cloudwright.dev/network.apply": "crash=1" } });
  await startTestAgent(server, cleanup, { handlers: demoHandlers() });
  await expect.poll(() => task.state).toBe("done");
  expect(task.outcomes.map(({ fault }) => fault?.code)).toEqual(["task_client.child_failed", undefined]);
});

test("M049 a cancelled task stops its programs with SIGINT and is reported as cancelled", async () => {
  const task = server.enqueue({ annotations: { "demo.cloudwright.dev/*": "sleep=60s" } });
  await startTestAgent(server, cleanup, { handlers: demoHandlers(), cancelGraceMs: 60_000 });
  await expect.poll(() => task.lines.size).toBeGreaterThan(1);
  server.cancel(task.uid, "cancelled by ada");
  await expect.poll(() => task.state).toBe("cancelled");
});

test("M049 a program and a handler that ignore the cancellation are stopped anyway", async () => {
  const handlers = createHandlerRegistry();
  let pid = 0;
  handlers.register({ types: ["*"] }, async (context: HandlerContext) => {
    pid = (await context.spawn("/bin/sh", ["-c", "trap '' INT; while :; do sleep 0.1; done"])).pid;
    return new Promise(() => undefined);
  });
  const task = server.enqueue();
  await startTestAgent(server, cleanup, { handlers, cancelGraceMs: 200 });
  await expect.poll(() => pid).toBeGreaterThan(0);
  server.cancel(task.uid, "cancelled by ada");
  await expect.poll(() => task.state).toBe("cancelled");
  expect(existsSync(`/proc/${pid}`)).toBe(false);
});

test("M047 an agent whose lease is not renewed stops at once and reports nothing", async () => {
  const task = server.enqueue({ annotations: { "demo.cloudwright.dev/*": "sleep=60s" } });
  const agent = await startTestAgent(server, cleanup, { handlers: demoHandlers() });
  await expect.poll(() => task.lines.size).toBeGreaterThan(1);
  server.revoke(task.uid);
  await expect.poll(() => agent.running()).toBe(0);
  expect(task.outcomes).toEqual([]);
  expect(task.stale).toEqual([]);
  expect(readdirSync(join(agent.directory, "tasks"))).toEqual([]);
});

test("M054 a stopping agent hands back tasks that do not end in time", async () => {
  const task = server.enqueue({ annotations: { "demo.cloudwright.dev/*": "sleep=60s" } });
  const agent = await startTestAgent(server, cleanup, { handlers: demoHandlers() });
  await expect.poll(() => task.lines.size).toBeGreaterThan(1);
  await agent.stop();
  expect(task.outcomes.map(({ outcome }) => outcome)).toEqual(["returned"]);
  expect(readdirSync(join(agent.directory, "tasks"))).toEqual([]);
});

test("M054 a stopping agent lets tasks finish within the grace period", async () => {
  const task = server.enqueue({ annotations: { "demo.cloudwright.dev/*": "sleep=600ms" } });
  const agent = await startTestAgent(server, cleanup, { handlers: demoHandlers(), stopGraceMs: 60_000 });
  await expect.poll(() => task.lines.size).toBeGreaterThan(0);
  await agent.stop();
  expect(task.outcomes.map(({ outcome }) => outcome)).toEqual(["done"]);
});

test("M005 only the owner can read the private key, and the agent joins only once", async () => {
  const agent = await startTestAgent(server, cleanup, { handlers: demoHandlers() });
  const path = join(agent.directory, "agent.json");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ name: "agent-a", uid: [...server.agents.keys()][0] });
  await agent.stop();
  await startTestAgent(server, cleanup, { directory: agent.directory, handlers: demoHandlers() });
  expect(server.agents.size).toBe(1);
});

test("M064 M072 a handler gets complete access to its entity's state, with a password that cannot be printed", async () => {
  const handlers = createHandlerRegistry();
  const opened: StateEndpoint[] = [];
  handlers.register({ types: ["*"] }, async (context) => {
    opened.push(await context.openState());
    return { outcome: "done" };
  });
  const task = server.enqueue({ entityUid: "0199-entity" });
  await startTestAgent(server, cleanup, { handlers });
  await expect.poll(() => task.state).toBe("done");
  const address = `${server.url}/v1/states/0199-entity`;
  expect(opened).toMatchObject([{ address, lockAddress: address, unlockAddress: address, username: task.uid }]);
  expect(opened[0]?.password.reveal()).toBe(`password of ${task.leaseToken}`);
  expect(JSON.stringify(opened)).not.toContain("password of");
});

test("M020 M072 a handler that holds the lease gets the account's credentials in a form that cannot be printed", async () => {
  const handlers = createHandlerRegistry();
  const seen: unknown[] = [];
  handlers.register({ types: ["*"] }, async (context) => {
    const opened = await context.openCredentials();
    seen.push(opened.reveal(), `${JSON.stringify(opened)} ${String(opened)}`);
    return { outcome: "done" };
  });
  const task = server.enqueue();
  await startTestAgent(server, cleanup, { handlers });
  await expect.poll(() => task.state).toBe("done");
  expect(seen).toEqual([{ aws: { secretAccessKey: `secret of ${task.leaseToken}` } }, '"[secret]" [secret]']);
});

test("M182 M183 a cluster token that a handler stores appears in no file of the agent and in no outcome", async () => {
  const handlers = createHandlerRegistry();
  const files: string[] = [];
  const expiresAt = new Date("2026-11-15T20:00:00Z");
  handlers.register({ types: ["*"] }, async (context) => {
    await context.keepToken(new Secret("canary-token"), expiresAt);
    files.push(...readAll(agent.directory));
    return { outcome: "done", outputs: { expires_at: expiresAt.toISOString() } };
  });
  const agent = await startTestAgent(server, cleanup, { handlers });
  const task = server.enqueue({ type: "cluster.token" });
  await expect.poll(() => task.state).toBe("done");
  expect(task.tokens.map(({ token, expiresAt: at }) => [token, at && timestampDate(at)])).toEqual([["canary-token", expiresAt]]);
  expect(files.length).toBeGreaterThan(0);
  expect([...files, ...readAll(agent.directory)].join("")).not.toContain("canary-token");
  expect(JSON.stringify(task.outcomes[0]?.outputs)).not.toContain("canary");
});

/** Returns the contents of all files under a directory. */
function readAll(directory: string): string[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
}

test("M064 a handler that no longer holds its lease gets no access to the state", async () => {
  const handlers = createHandlerRegistry();
  const codes: unknown[] = [];
  handlers.register({ types: ["*"] }, async (context) => {
    server.revoke(context.task.uid);
    await context.openState().catch((error: unknown) => codes.push((error as { code?: string }).code));
    return { outcome: "done" };
  });
  server.enqueue();
  await startTestAgent(server, cleanup, { handlers });
  await expect.poll(() => codes).toEqual(["task_client.rejected"]);
});
