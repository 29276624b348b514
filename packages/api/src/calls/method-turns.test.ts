import { methods, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { expect, test } from "vitest";
import type { Call, Caller } from "./authorise.ts";
import { createMethodTurns, isHeldUntilRead } from "./method-turns.ts";

function find(kind: string, verb: string): Method {
  const found = methods.find((method) => method.kind === kind && method.verb === verb);
  if (found === undefined) throw new Error(`no method ${kind} ${verb}`);
  return found;
}

const callOf = (caller: Partial<Caller>): Call => ({
  caller: { grants: [], ...caller } as unknown as Caller,
  source: "127.0.0.1",
  requestId: "",
});
const agentOf = (project: string, uid: string): Call =>
  callOf({ userUid: uid, agent: { uid, name: uid, project, draining: false } as NonNullable<Caller["agent"]> });
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Starts calls that never end. Returns how many of them are running and how many were rejected. The remaining calls are waiting. */
async function countRunning(start: (work: () => Promise<never>) => Promise<unknown>, calls: number): Promise<[number, number]> {
  let [running, rejected] = [0, 0];
  for (let nth = 0; nth < calls; nth += 1)
    start(() => {
      running += 1;
      return new Promise(() => undefined);
    }).catch((error: unknown) => {
      if (error instanceof Fault && error.code === "api.rate_limited" && error.retryAfterMs === 1000) rejected += 1;
    });
  await settle();
  return [running, rejected];
}

test("X063 kubeconfig requests in progress are limited per caller and do not delay the caller's other requests", async () => {
  const turns = createMethodTurns();
  const greedy = callOf({ userUid: "greedy" });
  const kubeconfig = find("Cluster", "kubeconfig");
  expect(await countRunning((work) => turns.run(greedy, kubeconfig, work), 100)).toEqual([16, 20]);
  expect(await turns.run(greedy, find("Cluster", "get"), () => Promise.resolve("served"))).toBe("served");
  const other = callOf({ userUid: "other" });
  expect(await turns.run(other, kubeconfig, () => Promise.resolve("served"))).toBe("served");
});

test("X063 one caller's lists leave database connections for the requests of other callers", async () => {
  const turns = createMethodTurns();
  const greedy = callOf({ userUid: "greedy" });
  expect(await countRunning((work) => turns.run(greedy, find("Environment", "list"), work), 100)).toEqual([4, 0]);
  expect(await countRunning((work) => turns.run(greedy, find("Cluster", "list"), work), 10)).toEqual([0, 0]);
  const served = (): Promise<string> => Promise.resolve("served");
  expect(await turns.run(greedy, find("Cluster", "get"), served)).toBe("served");
  expect(await turns.run(callOf({ userUid: "other" }), find("Environment", "list"), served)).toBe("served");
});

test("X063 heartbeats of one project's agents leave connections for the heartbeats of others", async () => {
  const turns = createMethodTurns();
  const renew = find("Work", "renew");
  let nth = 0;
  const [running] = await countRunning((work) => turns.run(agentOf("hostile", `agent-${(nth += 1) % 7}`), renew, work), 50);
  expect(running).toBe(2);
  for (const call of [agentOf("calm", "a"), agentOf("system", "b"), agentOf("system", "c")])
    expect(await turns.run(call, renew, () => Promise.resolve("renewed"))).toBe("renewed");
});

test("X063 heartbeats do not wait for the same agent's reports and polls", async () => {
  const turns = createMethodTurns();
  const agent = agentOf("system", "busy");
  for (const verb of ["lease", "finish", "open", "exchange", "keep"])
    await countRunning((work) => turns.run(agent, find("Work", verb), work), 64);
  expect(await turns.run(agent, find("Work", "renew"), () => Promise.resolve("renewed"))).toBe("renewed");
});

test("X063 few large documents are read at a time per caller, and other requests of the caller do not wait for them", async () => {
  const turns = createMethodTurns();
  const greedy = callOf({ userUid: "greedy" });
  expect(await countRunning((work) => turns.run(greedy, find("StateContent", "get"), work), 20)).toEqual([2, 0]);
  expect(await countRunning((work) => turns.run(greedy, find("RunPlan", "get"), work), 20)).toEqual([0, 0]);
  expect(await turns.run(greedy, find("State", "get"), () => Promise.resolve("served"))).toBe("served");
});

test("X063 few large documents of a project are read at a time, and other projects' documents do not wait for them", async () => {
  const turns = createMethodTurns();
  const content = find("StateContent", "get");
  const userOf = (uid: string, ...projects: string[]): Call =>
    callOf({ userUid: uid, grants: projects.map((project) => ({ project, environment: "", role: "viewer" })) });
  let nth = 0;
  const read = (work: () => Promise<never>): Promise<never> =>
    turns.run(userOf(`member-${(nth += 1) % 60}`, "hostile"), content, work, { project: "hostile" });
  // Each of the 60 members sends two requests. Four requests run, 100 wait for one of the project's turns, and 16 are rejected.
  expect(await countRunning(read, 120)).toEqual([4, 16]);
  const served = (): Promise<string> => Promise.resolve("served");
  // Neither a member of both projects nor a caller without a role in the hostile project has to wait.
  for (const caller of [userOf("member-1", "hostile", "calm"), userOf("other", "calm")])
    expect(await turns.run(caller, content, served, { project: "calm" })).toBe("served");
  expect(await turns.run(userOf("other", "calm"), content, served, { project: "hostile" })).toBe("served");
});

test("X063 a caller without a role in a project cannot use up the turns for its documents", async () => {
  const turns = createMethodTurns();
  const content = find("StateContent", "get");
  const strangers = Array.from({ length: 8 }, (_, nth) => callOf({ userUid: `stranger-${nth}` }));
  let nth = 0;
  await countRunning((work) => turns.run(strangers[(nth += 1) % 8] as Call, content, work, { project: "calm" }), 100);
  const member = callOf({ userUid: "member", grants: [{ project: "calm", environment: "", role: "viewer" }] });
  expect(await turns.run(member, content, () => Promise.resolve("served"), { project: "calm" })).toBe("served");
});

test("X063 a call keeps its turn until its response is read, except for small responses to agents", () => {
  expect(isHeldUntilRead(find("Cluster", "list"), 10)).toBe(true);
  expect([10, 1024 * 1024].map((bytes) => isHeldUntilRead(find("Work", "renew"), bytes))).toEqual([false, true]);
});
