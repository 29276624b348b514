import type { JsonObject } from "@cloudwright/contract";
import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { createLogger } from "@cloudwright/platform";
import { generateKeyPair } from "@cloudwright/platform/openssh-key";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endTask, seedTask } from "../testing/seed-run.ts";
import { anyWork, joinTestAgent } from "../testing/test-agent.ts";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

const project = "/v1/projects/default";
const canary = "canary-7a52c1d0";
const lines: string[] = [];
const answers: string[] = [];
let api: TestApi;
let agent: string;

beforeAll(async () => {
  const log = createLogger({ level: "trace", name: "test", stream: { write: (line) => void lines.push(line) } });
  api = await startTestApi({ log, accessWaitMs: 15_000 });
  agent = await (await joinTestAgent(api, "system", "ada")).sign();
  await must("POST", "accounts", { metadata: { name: "sim" }, spec: { simulated: true, aws: {} } });
  await must("POST", "networks", { metadata: { name: "net" }, spec: { account: "sim", region: "eu-west-1" } });
});
afterAll(() => api.close());

async function must(method: string, path: string, body?: JsonObject, key?: string) {
  const answer = await api.must(method, `${project}/${path}`, { ...(body === undefined ? {} : { body }), ...(key && { key }) });
  answers.push(answer.text);
  return answer.body;
}

const refuse = async (method: string, path: string, body?: JsonObject, key?: string) => {
  const answer = await api.call(method, `${project}/${path}`, { ...(body === undefined ? {} : { body }), ...(key && { key }) });
  answers.push(answer.text);
  return [answer.status, answer.body.code, (answer.body.fields ?? []).map(({ field }) => field)];
};

const create = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}) =>
  must("POST", "instances", { metadata: { name, ...metadata }, spec: { network: "net", ...spec } });

/** Sets an instance's status, as the reconciler would. */
async function setStatus(name: string, status: JsonObject): Promise<string> {
  const { metadata } = await must("GET", `instances/${name}`);
  const text = `update entity set object = jsonb_set(object::jsonb, '{status}', (object::jsonb -> 'status') || $2::jsonb)::json where uid = $1`;
  await api.pool.query({ text, values: [metadata.uid, JSON.stringify(status)] });
  return metadata.uid ?? "";
}

describe("M007 an SSH key", () => {
  test("is generated if none is given, and its private half is stored but never shown", async () => {
    const { spec, status } = await must("POST", "sshkeys", { metadata: { name: "made" } });
    expect(spec["publicKey"]).toMatch(/^ssh-ed25519 /);
    expect(status).toMatchObject({ type: "ssh-ed25519", secretsSet: ["spec.privateKey"], phase: "RUNNING" });
    expect(status["fingerprint"]).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
    // A PUT request that omits the key keeps the stored key.
    const again = await must("PUT", "sshkeys/made", { metadata: { name: "made", labels: { a: "b" } }, spec: {} });
    expect([again.spec, again.status["secretsSet"]]).toEqual([spec, ["spec.privateKey"]]);
  });

  test("is accepted with the public half only, or with a private half that belongs to it", async () => {
    const [mine, other] = [generateKeyPair(), generateKeyPair()];
    const open = await must("POST", "sshkeys", { metadata: { name: "open" }, spec: { publicKey: `${mine.publicKey} ann` } });
    expect(open.status["secretsSet"]).toEqual([]);
    const both = { metadata: { name: "both" }, spec: { privateKey: mine.privateKey } };
    expect((await must("POST", "sshkeys", both)).spec["publicKey"]).toBe(mine.publicKey);
    const bad = (spec: JsonObject) => refuse("POST", "sshkeys", { metadata: { name: "bad" }, spec });
    expect(await bad({ publicKey: other.publicKey, privateKey: mine.privateKey })).toEqual([
      400,
      "api.invalid",
      ["spec.privateKey"],
    ]);
    expect(await bad({ privateKey: "-----BEGIN RSA PRIVATE KEY-----" })).toEqual([400, "api.invalid", ["spec.privateKey"]]);
    expect(await bad({ publicKey: "ssh-ed25519 AAAA" })).toEqual([400, "api.invalid", ["spec.publicKey"]]);
    expect(await refuse("PATCH", "sshkeys/open", { spec: { publicKey: other.publicKey } })).toEqual([
      400,
      "api.invalid",
      ["spec.publicKey"],
    ]);
  });

  test("cannot be deleted while an instance refers to it", async () => {
    await must("POST", "sshkeys", { metadata: { name: "used" } });
    await create("user-of-key", { sshKeys: ["used"] });
    const [status, , fields] = await refuse("DELETE", "sshkeys/used");
    expect([status, fields]).toEqual([409, []]);
    expect(answers.at(-1)).toContain("user-of-key");
    expect(await refuse("POST", "instances", { metadata: { name: "x" }, spec: { network: "net", sshKeys: ["nobody"] } })).toEqual(
      [400, "api.invalid", ["spec.sshKeys"]],
    );
  });
});

test("M007 the private half of an SSH key is returned to administrators on request, and every request is audited", async () => {
  const pair = generateKeyPair();
  await must("POST", "sshkeys", { metadata: { name: "handed-out" }, spec: { privateKey: pair.privateKey } });
  const open = (name: string, key = api.adminKey) => api.call("POST", `${project}/sshkeys/${name}:private`, { body: {}, key });
  expect((await open("handed-out")).body).toEqual({ publicKey: pair.publicKey, privateKey: pair.privateKey });
  const editor = await api.createPerson("edda", [{ project: "default", role: "editor" }]);
  const stranger = await api.createPerson("stan", []);
  expect(await refuse("POST", "sshkeys/handed-out:private", {}, editor.key)).toEqual([403, "api.denied", []]);
  expect(await refuse("POST", "sshkeys/handed-out:private", {}, stranger.key)).not.toContain(200);
  await must("POST", "sshkeys", { metadata: { name: "half" }, spec: { publicKey: pair.publicKey } });
  expect(await refuse("POST", "sshkeys/half:private", {})).toEqual([404, "api.no_private_key", []]);
  const { rows } = await api.pool.query<{ name: string; outcome: string }>({
    text: "select name, outcome from audit where verb = 'private' and kind = 'SshKey' and name = 'handed-out' order by outcome",
    values: [],
  });
  expect(rows.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(["allowed", "denied"]));
});

describe("M143 an instance", () => {
  test("stores its defaults, and settings that are fixed at the first start cannot change", async () => {
    const { spec } = await create("fixed", { account: "sim", userData: `#!/bin/sh\necho ${canary}-user-data\n` });
    expect(spec).toMatchObject({ image: "ubuntu-24.04", provisioner: "direct", rootDisk: { sizeGib: 20 }, network: "net" });
    for (const [field, change] of [
      ["spec.image", { image: "debian-12" }],
      ["spec.rootDisk.sizeGib", { rootDisk: { sizeGib: 30 } }],
      ["spec.publicAddress", { publicAddress: true }],
      ["spec.userData", { userData: "#!/bin/sh\ntrue\n" }],
      ["spec.userData", { userData: null }],
    ] as const)
      expect(await refuse("PATCH", "instances/fixed", { spec: change })).toEqual([400, "api.invalid", [field]]);
    expect((await must("PATCH", "instances/fixed", { spec: { running: false } })).spec["running"]).toBe(false);
    expect((await must("PATCH", "instances/fixed", { spec: { machineType: "t3.small" } })).status["secretsSet"]).toEqual([
      "spec.userData",
    ]);
  });

  test("is refused in clouds without instances, in another account, and with an unknown machine type", async () => {
    const post = (spec: JsonObject) => refuse("POST", "instances", { metadata: { name: "no" }, spec });
    for (const cloud of cloudNames.filter(
      (name) => getCloud(name).hasInstances !== true && getCloud(name).regions.default !== "",
    )) {
      await must("POST", "accounts", { metadata: { name: cloud }, spec: { simulated: true, [cloud]: {} } });
      const region = getCloud(cloud).regions.default;
      await must("POST", "networks", { metadata: { name: cloud }, spec: { account: cloud, region } });
      expect(await post({ network: cloud })).toEqual([400, "api.invalid", ["spec.network"]]);
      expect(answers.at(-1)).toContain(getCloud(cloud).title);
    }
    await must("POST", "accounts", { metadata: { name: "other" }, spec: { simulated: true, aws: {} } });
    expect(await post({ network: "net", account: "other" })).toEqual([400, "api.invalid", ["spec.account"]]);
    expect(await post({ network: "net", machineType: "t3.enormous" })).toEqual([400, "api.invalid", ["spec.machineType"]]);
  });

  test("is refused with an image that its cloud cannot have, and the message says what is allowed", async () => {
    const own: Readonly<Record<string, string>> = {
      aws: "ami-0123456789abcdef0",
      gcp: "projects/debian-cloud/global/images/family/debian-12",
      azure: "Canonical:ubuntu-24_04-lts:server:latest",
    };
    const sshKeys = ["image-key"];
    await must("POST", "sshkeys", { metadata: { name: "image-key" } });
    for (const cloud of cloudNames.filter((name) => own[name] !== undefined)) {
      const network = `images-${cloud}`;
      await must("POST", "accounts", { metadata: { name: network }, spec: { simulated: true, [cloud]: {} } });
      const region = getCloud(cloud).regions.default;
      await must("POST", "networks", { metadata: { name: network }, spec: { account: network, region } });
      const strangers = Object.values(own).filter((image) => image !== own[cloud]);
      for (const image of ["windows-95", ...strangers]) {
        const body = { metadata: { name: "no" }, spec: { network, image, sshKeys } };
        expect([image, await refuse("POST", "instances", body)]).toEqual([image, [400, "api.invalid", ["spec.image"]]]);
        expect(answers.at(-1)).toContain("ubuntu-24.04, ubuntu-22.04, debian-12");
      }
      await create(`image-${cloud}`, { network, image: own[cloud] ?? "", sshKeys });
    }
  });

  test("in Google Cloud is created with its own settings, and settings that the cloud does not have are rejected", async () => {
    const post = (spec: JsonObject) => refuse("POST", "instances", { metadata: { name: "no" }, spec });
    await must("POST", "accounts", { metadata: { name: "on-gcp" }, spec: { simulated: true, gcp: {} } });
    await must("POST", "networks", { metadata: { name: "on-gcp" }, spec: { account: "on-gcp", region: "europe-west1" } });
    const network = "on-gcp";
    expect((await create("vm-gcp", { network })).spec).toMatchObject({ image: "ubuntu-24.04", rootDisk: { sizeGib: 20 } });
    expect(await post({ network, aws: { securityGroupIds: [] } })).toEqual([400, "api.invalid", ["spec.aws"]]);
    expect(await post({ network, metadataTokens: "optional" })).toEqual([400, "api.invalid", ["spec.metadataTokens"]]);
    expect(await post({ network, rootDisk: { encrypted: false } })).toEqual([400, "api.invalid", ["spec.rootDisk.encrypted"]]);
    const gcp = { networkTags: ["web"], serviceAccount: "web-server@my-project.iam.gserviceaccount.com", shieldedVm: false };
    expect((await create("options-of-gcp", { network: "on-gcp", gcp })).spec["gcp"]).toEqual(gcp);
    for (const [field, change] of [
      ["spec.gcp.serviceAccount", { serviceAccount: "other-account@my-project.iam.gserviceaccount.com" }],
      ["spec.gcp.shieldedVm", { shieldedVm: true }],
    ] as const)
      expect(await refuse("PATCH", "instances/options-of-gcp", { spec: { gcp: change } })).toEqual([400, "api.invalid", [field]]);
  });

  test("in Azure has a larger disk by default, and what Azure does not accept is refused before anything is built", async () => {
    await must("POST", "accounts", { metadata: { name: "blue" }, spec: { simulated: true, azure: {} } });
    await must("POST", "networks", { metadata: { name: "blue" }, spec: { account: "blue", region: "westeurope" } });
    await must("POST", "sshkeys", { metadata: { name: "of-blue" } });
    const post = (spec: JsonObject) =>
      refuse("POST", "instances", { metadata: { name: "no" }, spec: { network: "blue", sshKeys: ["of-blue"], ...spec } });
    const fault = (field: string) => [400, "api.invalid", [field]];
    expect(await post({ sshKeys: [] })).toEqual(fault("spec.sshKeys"));
    expect(answers.at(-1)).toContain("Azure refuses machines without a key or a password");
    expect(await post({ metadataTokens: "optional" })).toEqual(fault("spec.metadataTokens"));
    expect(await post({ rootDisk: { encrypted: false } })).toEqual(fault("spec.rootDisk.encrypted"));
    expect(await post({ rootDisk: { sizeGib: 20 } })).toEqual(fault("spec.rootDisk.sizeGib"));
    expect(await post({ user: "admin" })).toEqual(fault("spec.user"));
    expect(await post({ aws: {} })).toEqual(fault("spec.aws"));
    expect(await post({ machineType: "Standard_Z9" })).toEqual(fault("spec.machineType"));
    const { spec } = await create("in-azure", { network: "blue", sshKeys: ["of-blue"], azure: { trustedLaunch: false } });
    expect(spec).toMatchObject({ rootDisk: { sizeGib: 30 }, azure: { trustedLaunch: false } });
    expect(await refuse("PATCH", "instances/in-azure", { spec: { azure: { trustedLaunch: true } } })).toEqual(
      fault("spec.azure.trustedLaunch"),
    );
  });

  test("M206 on one's own machine has its own defaults, and what has no meaning there is refused before anything is built", async () => {
    const fault = (field: string) => [400, "api.invalid", [field]];
    const body = (name: string, spec: JsonObject) => ({ metadata: { name }, spec });
    expect(await refuse("POST", "accounts", body("rack", { simulated: true, local: {} }))).toEqual(fault("spec"));
    // The machine's agent is root on it, so only an operator may use it, or a project to which an operator granted it.
    const owner = await api.createPerson("olga", [{ project: "default", role: "owner" }]);
    const denied = await refuse("POST", "accounts", body("rack", { local: {} }), owner.key);
    expect(denied.slice(0, 2)).toEqual([403, "api.identity_not_granted"]);
    await must("POST", "accounts", body("rack", { local: { agentLabel: "rack-1" } }));
    const network = (spec: JsonObject) => refuse("POST", "networks", body("no", { account: "rack", ...spec }));
    expect(await network({ region: "eu-west-1" })).toEqual(fault("spec.region"));
    expect(await network({ cidr: "127.0.0.0/16" })).toEqual(fault("spec.cidr"));
    await must("POST", "networks", body("hall", { account: "rack" }));
    expect(await refuse("POST", "clusters", body("no", { network: "hall" }))).toEqual(fault("spec.network"));
    const post = (spec: JsonObject) => refuse("POST", "instances", body("no", { network: "hall", ...spec }));
    expect(await post({ machineType: "t3.micro" })).toEqual(fault("spec.machineType"));
    expect(answers.at(-1)).toContain("2x2");
    expect(await post({ publicAddress: true })).toEqual(fault("spec.publicAddress"));
    expect(await post({ aws: {} })).toEqual(fault("spec.aws"));
    const { spec } = await create("box", { network: "hall", machineType: "0.5x0.5" });
    expect(spec).toMatchObject({ image: "debian-12", rootDisk: { sizeGib: 10 }, provisioner: "direct" });
  });

  test("is opened for SSH only by callers who may change it, with the keys that they may use", async () => {
    for (const name of ["dev", "prod"]) await must("POST", "environments", { metadata: { name } });
    await must("POST", "sshkeys", { metadata: { name: "of-dev", environment: "dev" } });
    await must("POST", "sshkeys", { metadata: { name: "of-all" } });
    await create("login", { sshKeys: ["of-dev", "of-all"] }, { environment: "dev" });
    expect(await refuse("POST", "instances/login:ssh", {})).toEqual([409, "api.instance_not_ready", []]);
    const status = {
      privateAddress: "10.0.0.4",
      instanceId: "i-1",
      hostKeys: ["ssh-ed25519 AAAA"],
      hostKeysOf: "i-1",
      user: "ubuntu",
    };
    await setStatus("login", status);
    const open = async (key = api.adminKey) => {
      const { body } = await api.must("POST", `${project}/instances/login:ssh`, { body: {}, key });
      return body as unknown as { hostKeys: string[]; privateKeys: string[]; address: string; user: string };
    };
    const whole = await open();
    expect(whole).toMatchObject({ address: "10.0.0.4", user: "ubuntu", hostKeys: ["ssh-ed25519 AAAA"] });
    expect(whole.privateKeys).toHaveLength(2);
    const viewer = await api.createPerson("vera", [{ project: "default", role: "viewer" }]);
    const developer = await api.createPerson("dora", [{ project: "default", role: "editor", environment: "dev" }]);
    expect((await refuse("POST", "instances/login:ssh", {}, viewer.key)).slice(0, 2)).toEqual([403, "api.denied"]);
    // The key that belongs to the whole project would also give access to instances in other environments.
    expect((await open(developer.key)).privateKeys).toEqual([whole.privateKeys[0]]);
    // Host keys of a replaced machine are not trusted.
    await setStatus("login", { instanceId: "i-2" });
    expect((await open()).hostKeys).toEqual([]);
    const { rows } = await api.pool.query<{ outcome: string; count: number }>({
      text: "select outcome, count(*)::int as count from audit where verb = 'ssh' and kind = 'Instance' group by outcome order by outcome",
      values: [],
    });
    expect(rows).toEqual([
      { outcome: "allowed", count: 3 },
      { outcome: "denied", count: 1 },
      { outcome: "failed", count: 1 },
    ]);
  });

  test("shows the log that an agent reads, and the agent gets its user data together with access to its state", async () => {
    const { metadata } = await must("GET", "instances/fixed");
    const uid = metadata.uid ?? "";
    expect(await refuse("POST", "instances/fixed:log", {})).toEqual([409, "api.instance_not_ready", []]);
    const task = await seedTask(api, uid, { type: "instance.apply" });
    await endTask(api, task, "done", { state: "done", result: { instance_id: "i-1" } });
    const asked = api.call("POST", `${project}/instances/fixed:log`, { body: {} });
    const body = { ...anyWork, types: ["instance.console"], maxPayloadVersion: 4, longLane: 0, shortLane: 1, waitSeconds: 10 };
    const leased = (await api.must("POST", "/v1/worker/tasks", { key: agent, body: body as never })).body as unknown as {
      tasks: { uid: string; leaseToken: string; payload: JsonObject }[];
    };
    const [held] = leased.tasks;
    expect(held?.payload).toMatchObject({ entity: { name: "fixed" }, outputs: { instance_id: "i-1" } });
    const lease = { uid: held?.uid ?? "", leaseToken: held?.leaseToken ?? "" };
    const state = (await api.must("POST", "/v1/worker/state", { key: agent, body: lease })).body as unknown as JsonObject;
    expect(state["secrets"]).toEqual({ "spec.userData": `#!/bin/sh\necho ${canary}-user-data\n` });
    await api.must("POST", "/v1/worker/finish", { key: agent, body: { ...lease, outcome: "done", outputs: { text: "booted" } } });
    const answer = await asked;
    expect([answer.status, (answer.body as unknown as { text: string }).text]).toEqual([200, "booted"]);
  });
});

test("M020 M007 neither private keys nor user data appear in responses, in logs or in clear text in any table", async () => {
  for (const path of ["sshkeys", "instances", "sshkeys/made", "instances/fixed", "events", "auditrecords", "tasks"])
    await must("GET", path);
  const tables = await api.pool.query<{ name: string }>({
    text: "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    values: [],
  });
  const stored: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await api.pool.query<{ text: string }>({ text: `select t::text as text from "${name}" t`, values: [] });
    stored.push(...rows.map(({ text }) => text));
  }
  expect(stored.some((text) => text.includes("user-of-key"))).toBe(true);
  for (const told of [answers.join("\n"), lines.join("\n"), stored.join("\n")]) {
    expect(told).not.toContain("BEGIN OPENSSH PRIVATE KEY");
    expect(told).not.toContain(canary);
  }
});
