import type { JsonObject } from "@cloudwright/contract";
import { createManualClock } from "@cloudwright/platform";
import { generateKeyPair } from "@cloudwright/platform/openssh-key";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unsealSecrets } from "../entities/secrets.ts";
import { endTask, seedTask } from "../testing/seed-run.ts";
import { anyWork, joinTestAgent } from "../testing/test-agent.ts";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { advanceRotations } from "./advance-rotations.ts";

const project = "/v1/projects/default";
let api: TestApi;
let agent: string;
let nowMs = Date.now();
/** Clock of the replacements only. The server itself needs the real time. */
const clock = { ...createManualClock(), now: () => nowMs };

interface RotatedKey {
  readonly spec: { readonly publicKey: string };
  readonly status: {
    readonly message: string;
    readonly rotation?: {
      readonly stage: string;
      readonly instances: readonly { name: string; accepts: string; failures?: number }[];
    };
  };
}

beforeAll(async () => {
  api = await startTestApi();
  agent = await (await joinTestAgent(api, "system", "ada")).sign();
  await must("POST", "accounts", { metadata: { name: "rack" }, spec: { local: { agentLabel: "r" } } });
  await must("POST", "networks", { metadata: { name: "net" }, spec: { account: "rack" } });
});
afterAll(() => api.close());

const must = async (method: string, path: string, body?: JsonObject) =>
  (await api.must(method, `${project}/${path}`, body === undefined ? {} : { body })).body;
const readKey = async (name: string): Promise<RotatedKey> => (await must("GET", `sshkeys/${name}`)) as unknown as RotatedKey;
const rotate = (name: string) => api.call("POST", `${project}/sshkeys/${name}:rotate`, { body: {} });
const advance = (): Promise<void> => advanceRotations({ ...api.deps, clock });

/** Creates an instance as if it had been built. */
async function createInstance(name: string, sshKey: string): Promise<string> {
  const { metadata } = await must("POST", "instances", { metadata: { name }, spec: { network: "net", sshKeys: [sshKey] } });
  const uid = metadata.uid ?? "";
  const task = await seedTask(api, uid, { type: "instance.apply" });
  await endTask(api, task, "done", { state: "done", result: { instance_id: "i-1", private_address: "10.0.0.2", user: "admin" } });
  return uid;
}

async function setMachine(uid: string, machineStatus: string): Promise<void> {
  const text = `update entity set object = jsonb_set(object::jsonb, '{status,machineStatus}', to_jsonb($2::text))::json where uid = $1`;
  await api.pool.query({ text, values: [uid, machineStatus] });
}

/** Returns the open task that replaces a key on an instance. */
async function findOpenTask(entityUid: string): Promise<{ uid: string; payload: JsonObject } | undefined> {
  const text = `select t.uid, t.object -> 'payload' as payload from task_state t where t.object ->> 'type' = 'instance.keys' and t.entity_uid = $1 and t.state in ('ready', 'waiting', 'leased')`;
  const { rows } = await api.pool.query<{ uid: string; payload: JsonObject }>({ text, values: [entityUid] });
  expect(rows.length).toBeLessThan(2);
  return rows[0];
}

async function endOpenTask(entityUid: string, isDone = true): Promise<void> {
  const { uid = "" } = (await findOpenTask(entityUid)) ?? {};
  const fault = { code: "ssh.unreachable", message: "nothing answers", retry: "backoff" };
  await endTask(api, uid, isDone ? "done" : "failed", isDone ? { state: "done", result: {} } : { state: "failed", fault });
}

async function readSecrets(name: string): Promise<Readonly<Record<string, string>>> {
  const text = "select uid, sealed from entity where kind = 'SshKey' and name = $1";
  const { rows } = await api.pool.query<{ uid: string; sealed: Buffer }>({ text, values: [name] });
  return unsealSecrets(api.deps.keyRing, rows[0]?.uid ?? "", rows[0]?.sealed ?? null);
}

test("M007 a key is replaced on all instances before the former one is removed from any, and only then is its private half deleted", async () => {
  await must("POST", "sshkeys", { metadata: { name: "ops" } });
  const [one, two] = [await createInstance("one", "ops"), await createInstance("two", "ops")];
  const before = await readKey("ops");
  const { "spec.privateKey": former } = await readSecrets("ops");
  expect((await rotate("ops")).status).toBe(200);
  // A repeated request changes nothing.
  const started = await readKey("ops");
  expect((await rotate("ops")).status).toBe(200);
  expect((await readKey("ops")).spec).toEqual(started.spec);
  expect(started.spec.publicKey).not.toBe(before.spec.publicKey);
  await advance();
  await advance();
  expect((await findOpenTask(one))?.payload["keys"]).toMatchObject({
    publicKey: started.spec.publicKey,
    formerPublicKey: before.spec.publicKey,
  });
  await endOpenTask(one);
  await advance();
  expect((await readKey("ops")).status.rotation).toMatchObject({
    stage: "adding",
    instances: [{ accepts: "both" }, { accepts: "former" }],
  });
  expect(await findOpenTask(one)).toBeUndefined();
  // Changes by users in the meantime keep both private halves.
  await must("PATCH", "sshkeys/ops", { metadata: { labels: { a: "b" } } });
  expect((await readSecrets("ops"))["former.privateKey"]).toBe(former);
  await endOpenTask(two);
  await advance();
  expect((await readKey("ops")).status.rotation?.stage).toBe("removing");
  await advance();
  expect((await findOpenTask(two))?.payload["keys"]).toMatchObject({ remove: true });
  await endOpenTask(one);
  await endOpenTask(two);
  await advance();
  await advance();
  const { status } = await readKey("ops");
  expect([status.message, status.rotation]).toEqual(["", undefined]);
  const secrets = await readSecrets("ops");
  expect([Object.keys(secrets), secrets["spec.privateKey"] === former]).toEqual([["spec.privateKey"], false]);
});

test("M007 until a stopped or unreachable instance has the new key, both keys remain valid and the status names the instance", async () => {
  await must("POST", "sshkeys", { metadata: { name: "partly" } });
  const [off, lost] = [await createInstance("off", "partly"), await createInstance("lost", "partly")];
  await setMachine(off, "stopped");
  await rotate("partly");
  await advance();
  await endOpenTask(lost, false);
  await advance();
  expect(await findOpenTask(off)).toBeUndefined();
  // The next attempt waits for a pause.
  expect(await findOpenTask(lost)).toBeUndefined();
  const { message, rotation } = (await readKey("partly")).status;
  expect([message.includes("off"), message.includes("ssh.unreachable")]).toEqual([true, true]);
  expect(rotation?.instances.map(({ name, accepts }) => [name, accepts])).toEqual([
    ["lost", "former"],
    ["off", "former"],
  ]);
  const text = `update entity set object = jsonb_set(object::jsonb, '{status,privateAddress}', '"10.0.0.3"')::json where uid = $1`;
  await api.pool.query({ text, values: [lost] });
  const login = (await must("POST", "instances/lost:ssh", {})) as unknown as { privateKeys: string[] };
  const { "spec.privateKey": own, "former.privateKey": former } = await readSecrets("partly");
  expect(login.privateKeys).toEqual([own, former]);
  nowMs += 600_000;
  await setMachine(off, "running");
  await advance();
  await endOpenTask(lost);
  await endOpenTask(off);
  await advance();
  expect((await readKey("partly")).status.rotation?.stage).toBe("removing");
});

test("M007 only the agent that holds the task gets the private halves, and the access is audited", async () => {
  await must("POST", "sshkeys", { metadata: { name: "given" } });
  const uid = await createInstance("given", "given");
  await rotate("given");
  await advance();
  await api.must("PATCH", "/v1/projects/system/agents/ada", { body: { spec: { identityProjects: ["default"] } } });
  const labels = { ...anyWork.labels, machines: "r" };
  const body = { ...anyWork, labels, types: ["instance.keys"], maxPayloadVersion: 4, waitSeconds: 0 };
  const leased = (await api.must("POST", "/v1/worker/tasks", { key: agent, body: body as never })).body as unknown as {
    tasks: { uid: string; leaseToken: string; payload: JsonObject }[];
  };
  const held = leased.tasks.find(({ payload }) => (payload["entity"] as JsonObject)["uid"] === uid);
  expect(JSON.stringify(held?.payload)).not.toContain("PRIVATE KEY");
  const lease = { uid: held?.uid ?? "", leaseToken: held?.leaseToken ?? "" };
  const state = (await api.must("POST", "/v1/worker/state", { key: agent, body: lease })).body as unknown as JsonObject;
  const { "spec.privateKey": own, "former.privateKey": former } = await readSecrets("given");
  expect(Object.values(state["secrets"] as JsonObject)).toEqual([own, former]);
  const text = "select count(*)::int as count from audit where kind = 'SshKey' and name = 'given' and actor like '%ada%'";
  expect((await api.pool.query<{ count: number }>({ text, values: [] })).rows[0]?.count).toBe(1);
});

test("M007 a key without a stored private half, and one that instances in other clouds use, are refused", async () => {
  const { publicKey } = generateKeyPair();
  await must("POST", "sshkeys", { metadata: { name: "public" }, spec: { publicKey } });
  expect((await rotate("public")).body).toMatchObject({ code: "api.key_not_replaceable" });
  await must("POST", "accounts", { metadata: { name: "sim" }, spec: { simulated: true, aws: {} } });
  await must("POST", "networks", { metadata: { name: "far" }, spec: { account: "sim", region: "eu-west-1" } });
  await must("POST", "sshkeys", { metadata: { name: "far" } });
  await must("POST", "instances", { metadata: { name: "far" }, spec: { network: "far", sshKeys: ["far"] } });
  expect((await rotate("far")).body).toMatchObject({ code: "api.key_not_replaceable" });
  expect((await readKey("far")).status.rotation).toBeUndefined();
});

test("M007 M198 a key with which the platform logs in on the machines of an inventory is not replaced", async () => {
  await must("POST", "accounts", { metadata: { name: "shelf" }, spec: { local: {} } });
  await must("POST", "sshkeys", { metadata: { name: "login" } });
  const hosts = [{ name: "a", address: "192.0.2.1" }];
  await must("POST", "inventories", { metadata: { name: "shelf" }, spec: { account: "shelf", sshKey: "login", hosts } });
  expect((await rotate("login")).body).toMatchObject({ code: "api.key_not_replaceable" });
  expect((await readKey("login")).status.rotation).toBeUndefined();
});

test("M007 a key that no instance uses is replaced at once", async () => {
  await must("POST", "sshkeys", { metadata: { name: "unused" } });
  const before = await readKey("unused");
  await rotate("unused");
  await advance();
  await advance();
  const { spec, status } = await readKey("unused");
  expect([spec.publicKey === before.spec.publicKey, status.rotation]).toEqual([false, undefined]);
});
