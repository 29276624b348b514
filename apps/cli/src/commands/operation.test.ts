import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const project = "/v1/projects/default";

async function createWorld(options: Parameters<typeof createFakeWorld>[0] = {}) {
  const fake = createFakeWorld(options);
  await fake.run("cluster", "create", "dev", "--network", "main");
  const name = fake.server.find(`${project}/clusters/dev`)?.metadata.operation as string;
  const path = `${project}/operations/${name}`;
  return { ...fake, name, path, uid: fake.server.find(path)?.metadata.uid as string };
}

/** Adds a task whose first attempt failed and whose second attempt is running. */
function addTask({ server, name: operation }: Awaited<ReturnType<typeof createWorld>>, name: string, type: string): string {
  const path = `${project}/tasks/${name}`;
  const fault = { code: "terraform.apply", message: "throttled" };
  server.put(path, {
    metadata: { name },
    spec: { type, operation, maxAttempts: 8 },
    status: {
      state: "LEASED",
      attempt: 2,
      agent: "office",
      progressPercent: 30,
      attempts: [{ attempt: 1, agent: "home", fault }],
    } as object,
  });
  return `${project}/tasks/${server.find(path)?.metadata.uid}`;
}

test("M052 operations are listed with verb and progress", async () => {
  const { run, server, path, name } = await createWorld();
  server.setStatus(path, { state: "RUNNING", progressPercent: 40, message: "creating subnets", steps: [{ state: "DONE" }, {}] });
  const { out } = await run("operation", "list");
  expect(out.split("\n")[0]).toMatch(/^NAME +STATE +VERB +ENTITY +STEPS +AGE +MESSAGE$/);
  expect(out).toMatch(new RegExp(`${name} +RUNNING 40% +create +Cluster/dev +1/2 .*creating subnets`));
  expect((await run("get", "operations", "-o", "name")).out).toBe(`operation/${name}\n`);
});

test("M052 get shows steps, tasks with attempts, and leftover resources", async () => {
  const fake = await createWorld();
  addTask(fake, "t-1", "cluster.apply");
  fake.server.setStatus(fake.path, {
    state: "FAILED",
    steps: [{ name: "preflight", state: "DONE", startedAt: "2026-01-01T00:00:00Z", endedAt: "2026-01-01T00:00:03Z" }],
    left: ["aws_vpc vpc-1: in use"],
    abandoned: ["aws_eip eip-1: gone"],
  });
  const { out } = await fake.run("operation", "get", fake.name);
  expect(out).toMatch(/preflight +DONE +3\.0s/);
  expect(out).toMatch(/cluster\.apply +1\/8 +FAILED +home .*throttled/);
  expect(out).toMatch(/cluster\.apply +2\/8 +LEASED 30% +office/);
  expect(out).toContain("Leftover resources:\n  aws_vpc vpc-1: in use\n");
  expect(out).toContain("Abandoned:\n  aws_eip eip-1: gone\n");
  expect(out).not.toContain("Timeline:");
});

test("M052 the timeline covers everything from the request to the last log line, for people and for programs", async () => {
  const { run, server, path, name } = await createWorld();
  server.setTimeline(path, [
    { at: "2026-01-01T00:00:00Z", source: "api", reason: "Created", actor: "ann", message: "asked for" },
    { at: "2026-01-01T00:00:01Z", source: "log", reason: "Line", message: "aws_vpc.main: creating" },
  ]);
  const { out } = await run("operation", "get", name, "--timeline");
  expect(out.indexOf("asked for")).toBeGreaterThan(0);
  expect(out.indexOf("asked for")).toBeLessThan(out.indexOf("aws_vpc.main: creating"));
  const json = JSON.parse((await run("get", "operation", name, "--timeline", "-o", "json")).out) as { timeline: object[] };
  expect(json.timeline).toHaveLength(2);
  expect((await run("describe", "operation", name)).out).toContain("aws_vpc.main: creating");
  expect((await run("get", "cluster", "dev", "--timeline")).code).toBe(2);
});

test("M053 an entity's description shows the state of its newest operation", async () => {
  const { run, server, path, name } = await createWorld();
  server.setStatus(path, { state: "RUNNING", progressPercent: 10, message: "planning" });
  expect((await run("describe", "cluster", "dev")).out).toContain(`${name} (create RUNNING 10%: planning)`);
  expect((await run("get", "clusters", "-o", "wide")).out).toContain(name);
});

test.each([
  ["DONE", 0],
  ["FAILED", 7],
  ["CANCELLED", 8],
])("M053 watching an operation that ends as %s has exit code %i", async (state, code) => {
  const { start, server, path, name } = await createWorld();
  const command = start("operation", "watch", name);
  await expect.poll(command.err).toContain("WAITING");
  server.setStatus(path, { state });
  expect(await command.done).toMatchObject({ code, out: `operation/${name} is ${state}\n` });
});

test("M053 an operation is watched by uid and in both word orders, and a wrong name fails at once", async () => {
  const { start, run, server, path, uid } = await createWorld();
  const command = start("watch", "operation", uid, "-o", "jsonpath={.status.state}");
  await expect.poll(() => server.requests.some(({ query }) => query.get("watch") === "true")).toBe(true);
  server.setStatus(path, { state: "DONE" });
  expect(await command.done).toEqual({ code: 0, out: "DONE\n", err: "" });
  expect((await run("operation", "watch", "op-none")).code).toBe(3);
});

test("M053 a failed operation is retried, and --wait follows it", async () => {
  const { start, run, server, path, name } = await createWorld();
  expect((await run("operation", "retry", name)).err).toContain("api.not_retryable");
  server.setStatus(path, { state: "FAILED" });
  expect(await run("operation", "retry", name)).toMatchObject({
    out: `operation/${name} is being retried\n`,
    err: `accepted; follow progress with: cloud operation watch ${name}\n`,
  });
  server.setStatus(path, { state: "FAILED" });
  const command = start("retry", "operation", name, "--wait");
  await expect.poll(command.err).toContain("WAITING");
  server.setStatus(path, { state: "DONE" });
  expect((await command.done).code).toBe(0);
});

test("M053 cancel --wait waits for the cancelled operation to end", async () => {
  const { start, run, server, path, name } = await createWorld();
  expect((await run("operation", "cancel", name)).out).toBe(`operation/${name} is being cancelled\n`);
  const command = start("operation", "cancel", name, "--wait");
  await expect.poll(command.err).toContain("WAITING");
  server.setStatus(path, { state: "CANCELLED" });
  expect(await command.done).toMatchObject({ code: 0, out: `operation/${name} is CANCELLED\n` });
  expect((await run("operation", "cancel", name)).code).toBe(4);
});

test("M052 logs contain the lines of all tasks in task order", async () => {
  const fake = await createWorld();
  const [first, second] = [addTask(fake, "t-1", "cluster.preflight"), addTask(fake, "t-2", "cluster.apply")];
  fake.server.setLog(second, [{ attempt: 2, seq: 1, at: "2026-01-01T00:00:05Z", line: "applying\u001b[31m" }]);
  fake.server.setLog(first, [{ attempt: 1, seq: 1, line: "checking" }]);
  expect((await fake.run("operation", "logs", fake.name)).out).toBe(
    "[cluster.preflight] checking\n[cluster.apply #2] applying [31m\n",
  );
  const lines = (await fake.run("logs", "operation", fake.name, "-o", "json")).out.trim().split("\n");
  expect(JSON.parse(lines[1] as string)).toMatchObject({ type: "cluster.apply", attempt: 2, seq: 1 });
  expect((await fake.run("task", "logs", "t-1")).out).toBe("[cluster.preflight] checking\n");
});

test("M052 logs --follow continues until the operation ends and repeats nothing", async () => {
  const fake = await createWorld();
  const task = addTask(fake, "t-1", "cluster.apply");
  const lines = [1, 2, 3].map((seq) => ({ attempt: 1, seq, line: `line ${seq}` }));
  fake.server.setLog(task, lines.slice(0, 1));
  const command = fake.start("operation", "logs", fake.name, "--follow");
  await expect.poll(command.out).toContain("line 1");
  fake.server.setLog(task, lines);
  fake.server.setStatus(fake.path, { state: "DONE" });
  const tick = setInterval(() => fake.clock.advance(1000), 1);
  expect(await command.done).toMatchObject({ code: 0, out: lines.map(({ line }) => `[cluster.apply] ${line}\n`).join("") });
  clearInterval(tick);
});

test("M052 an operation without a log is reported, and interrupting --follow exits with 130", async () => {
  const { run, start, name, interrupt, server } = await createWorld();
  expect(await run("operation", "logs", name)).toMatchObject({
    code: 0,
    out: "",
    err: expect.stringContaining("has no log yet") as string,
  });
  const command = start("operation", "logs", name, "-f");
  await expect.poll(() => server.requests.filter(({ path }) => path.endsWith("/tasks")).length).toBe(2);
  interrupt();
  expect((await command.done).code).toBe(130);
});
