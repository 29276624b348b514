import { createLogger, pickChildEnvironment, processEnvironment, Secret } from "@cloudwright/platform";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { registerDemoHandlers } from "../demo/demo-handler.ts";
import type { Handler } from "../handler.ts";
import { createHandlerRegistry } from "../registry.ts";
import { startFakeServer, type FakeServer } from "../testing/fake-server.ts";
import { createCleanup, createTestDirectory, startTestAgent } from "../testing/test-agent.ts";
import { createRemoteHandler } from "./remote-handler.ts";
import { serveHandlers, type Deployer } from "./serve-handlers.ts";

const cleanup = createCleanup();
const token = new Secret("a-token-of-the-test");
let server: FakeServer;

beforeEach(async () => {
  server = await startFakeServer({ leaseSeconds: 10 });
  cleanup.add(() => server.close());
});
afterEach(() => cleanup.run());

async function startDeployer(
  handler?: Handler,
  port = 0,
  cancelGraceMs = 5000,
  directory = createTestDirectory(cleanup),
): Promise<Deployer> {
  const registry = createHandlerRegistry();
  if (handler === undefined) registerDemoHandlers(registry);
  else registry.register({ types: ["*"] }, handler);
  const deployer = await serveHandlers(
    { log: createLogger({ level: "silent", name: "deployer" }), registry },
    {
      listen: { host: "127.0.0.1", port },
      token,
      directory,
      environment: pickChildEnvironment(processEnvironment),
      cancelGraceMs,
    },
  );
  cleanup.add(() => deployer.close());
  return deployer;
}

function startRemoteAgent(url: string, given = token) {
  const handlers = createHandlerRegistry();
  handlers.register({ types: ["*"] }, createRemoteHandler({ url, token: given }));
  return startTestAgent(server, cleanup, { handlers });
}

/** Creates a handler that starts a program. If `ignore` is true, the program ignores SIGINT and only SIGKILL stops it. */
function createStubborn(ignore: boolean): { handler: Handler; pid: () => number } {
  let pid = 0;
  return {
    pid: () => pid,
    async handler(context) {
      const child = await context.spawn("/bin/sh", ["-c", `${ignore ? "trap '' INT; " : ""}while :; do sleep 0.1; done`]);
      pid = child.pid;
      await child.ended;
      return { outcome: "failed", fault: { code: "x.y", message: "ended" } };
    },
  };
}

test("M056 a separate deployer runs an agent's tasks, with lines, progress and outputs", async () => {
  const deployer = await startDeployer();
  const task = server.enqueue({ annotations: { "demo.cloudwright.dev/*": "sleep=400ms" } });
  await startRemoteAgent(deployer.url);
  await expect.poll(() => task.state).toBe("done");
  expect(task.outcomes[0]?.outputs).toMatchObject({ network_id: expect.any(String) });
  expect([...task.lines.values()]).toEqual(expect.arrayContaining(["beat 2 of 2"]));
});

test("M056 M020 a deployer gets the credentials of a real account with the task, and none for a simulated one", async () => {
  const deployer = await startDeployer(async ({ openCredentials }) => ({
    outcome: "done",
    outputs: {
      credentials: await openCredentials().then(
        (spec) => spec.reveal(),
        (error: { code: string }) => error.code,
      ),
    },
  }));
  const entity = { kind: "Network", uid: "n", name: "n", spec: {} };
  const enqueue = (simulated: boolean) =>
    server.enqueue({ payload: { entity, account: { uid: "a", name: "a", cloud: "aws", simulated, spec: {} } } });
  const [real, simulated] = [enqueue(false), enqueue(true)];
  await startRemoteAgent(deployer.url);
  await expect.poll(() => [real.state, simulated.state]).toEqual(["done", "done"]);
  const spec = { aws: { secretAccessKey: expect.stringContaining("secret of") as string } };
  expect(real.outcomes[0]?.outputs).toEqual({ credentials: spec });
  expect(simulated.outcomes[0]?.outputs).toEqual({ credentials: "task_client.no_credentials" });
});

test("M056 M183 a cluster token from a deployer is stored and is not part of the report", async () => {
  const deployer = await startDeployer(async ({ keepToken }) => {
    await keepToken(new Secret("t0ken"), new Date("2026-11-15T20:00:00Z"));
    return { outcome: "done", outputs: {} };
  });
  const task = server.enqueue({ type: "cluster.token" });
  await startRemoteAgent(deployer.url);
  await expect.poll(() => task.state).toBe("done");
  expect(task.tokens).toMatchObject([{ token: "t0ken", expiresAt: { seconds: 1_794_772_800n } }]);
  expect(JSON.stringify([task.outcomes[0]?.outputs, [...task.lines.values()]])).not.toContain("t0ken");
});

test("M056 a fault from a deployer is received with its code and its permanent flag", async () => {
  const deployer = await startDeployer();
  const task = server.enqueue({ annotations: { "demo.cloudwright.dev/*": "fail=permanent" } });
  await startRemoteAgent(deployer.url);
  await expect.poll(() => task.state).toBe("failed");
  expect(task.outcomes[0]?.fault).toMatchObject({ code: "task_client.demo_failure", permanent: true });
});

test("M056 M072 a restarted deployer deletes the run directories of its killed predecessor", async () => {
  const directory = createTestDirectory(cleanup);
  mkdirSync(join(directory, "runs", "lease", "stack"), { recursive: true });
  writeFileSync(join(directory, "runs", "lease", "stack", "a.tfplan"), "secrets in clear");
  const first = await startDeployer(undefined, 0, 5000, directory);
  expect(existsSync(join(directory, "runs"))).toBe(false);
  mkdirSync(join(directory, "runs"));
  await expect(startDeployer(undefined, 0, 5000, directory)).rejects.toMatchObject({ code: "task_client.already_running" });
  expect(existsSync(join(directory, "runs"))).toBe(true);
  await first.close();
});

test("M056 a deployer rejects callers without its token", async () => {
  const deployer = await startDeployer();
  const task = server.enqueue();
  await startRemoteAgent(deployer.url, new Secret("another"));
  await expect.poll(() => task.outcomes[0]?.fault?.code).toBe("task_client.deployer_denied");
});

test("M056 a cancellation sends SIGINT to the deployer's programs and waits for their exit", async () => {
  const { handler, pid } = createStubborn(false);
  const deployer = await startDeployer(handler, 0, 60_000);
  const task = server.enqueue();
  await startRemoteAgent(deployer.url);
  await expect.poll(pid).toBeGreaterThan(0);
  server.cancel(task.uid, "cancelled by ada");
  await expect.poll(() => task.state).toBe("cancelled");
  expect(existsSync(`/proc/${pid()}`)).toBe(false);
});

test("M056 a lost lease kills the deployer's programs at once", async () => {
  const { handler, pid } = createStubborn(true);
  const deployer = await startDeployer(handler, 0, 60_000);
  const task = server.enqueue();
  const agent = await startRemoteAgent(deployer.url);
  await expect.poll(pid).toBeGreaterThan(0);
  server.revoke(task.uid);
  await expect.poll(() => agent.running()).toBe(0);
  await expect.poll(() => existsSync(`/proc/${pid()}`)).toBe(false);
  expect(task.outcomes).toEqual([]);
});

test("M056 a task whose deployer is unreachable is retried until it is reachable", async () => {
  const first = await startDeployer();
  const { port } = new URL(first.url);
  await first.close();
  const task = server.enqueue();
  await startRemoteAgent(first.url);
  await expect.poll(() => task.outcomes[0]?.fault?.code).toBe("task_client.deployer_unreachable");
  await startDeployer(undefined, Number(port));
  await expect.poll(() => task.state).toBe("done");
});

test("X063 a deployer does not receive the body of a caller without its token", async () => {
  const { url } = await startDeployer();
  const session = connect(url);
  cleanup.add(async () => session.destroy());
  const path = "/cloudwright.v1.DeployerService/RunTask";
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc+proto" });
  stream.on("error", () => undefined);
  const status = new Promise((resolve) => stream.once("response", (headers) => resolve(headers[":status"])));
  const closed = new Promise<void>((resolve) => stream.once("close", () => resolve()));
  // Announces a message that never arrives.
  stream.write(Buffer.from([0, 0x10, 0, 0, 0]));
  expect(await status).toBe(401);
  stream.resume();
  await closed;
});
