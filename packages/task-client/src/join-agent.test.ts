import { createLogger, Secret, systemClock } from "@cloudwright/platform";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { joinAgent } from "./join-agent.ts";
import { startFakeServer, type FakeServer } from "./testing/fake-server.ts";
import { createCleanup, createTestDirectory } from "./testing/test-agent.ts";

const cleanup = createCleanup();
let server: FakeServer;
let directory: string;

beforeEach(async () => {
  server = await startFakeServer();
  cleanup.add(() => server.close());
  directory = createTestDirectory(cleanup);
});
afterEach(() => cleanup.run());

function joinWith(token: string | undefined, name = "agent-a") {
  const joinToken = () => (token === undefined ? undefined : new Secret(token));
  const log = createLogger({ level: "silent", name: "agent" });
  const signal = new AbortController().signal;
  return joinAgent({ log, clock: systemClock }, { server: server.url, name, directory, version: "0.1.0", joinToken, signal });
}

test("M005 a join whose response was lost is repeated with the same key and creates one agent", async () => {
  server.manners.loseJoinAnswer = true;
  const identity = await joinWith(server.issueJoinToken());
  expect([...server.agents.keys()]).toEqual([identity.uid]);
  expect([...server.agents.values()][0]?.publicKey.x).toBe(identity.publicKey.x);
});

test("M005 an agent that exits before it receives the join response joins again as the same agent", async () => {
  const token = server.issueJoinToken();
  const first = await joinWith(token);
  const path = join(directory, "agent.json");
  writeFileSync(path, JSON.stringify({ ...first, uid: "" }));
  await expect(joinWith(token)).resolves.toEqual(first);
  expect(server.agents.size).toBe(1);
});

test("M005 a token works once, and the private key is never sent", async () => {
  const token = server.issueJoinToken();
  await joinWith(token);
  directory = createTestDirectory(cleanup);
  await expect(joinWith(token, "agent-b")).rejects.toMatchObject({ code: "task_client.join_refused" });
  expect([...server.agents.values()].map(({ publicKey }) => Object.keys(publicKey).toSorted())).toEqual([["crv", "kty", "x"]]);
});

test("M005 a missing token and a broken identity are reported without showing a key", async () => {
  await expect(joinWith(undefined)).rejects.toMatchObject({ code: "task_client.not_joined" });
  writeFileSync(join(directory, "agent.json"), '{"privateKey": "canary"');
  const fault: Error = await joinWith(undefined).then(
    () => Promise.reject(new Error("joined")),
    (error: Error) => error,
  );
  expect(fault).toMatchObject({ code: "task_client.bad_identity" });
  expect(fault.message).not.toContain("canary");
});

test("M005 an agent waits for a server that is not running yet", async () => {
  await server.pause();
  const joining = joinWith(server.issueJoinToken());
  await expect.poll(() => readdirSync(directory)).toContain("agent.json");
  expect(JSON.parse(readFileSync(join(directory, "agent.json"), "utf8"))).toMatchObject({ uid: "" });
  await server.resume();
  await expect(joining).resolves.toMatchObject({ name: "agent-a", project: "system" });
});
