import type { JsonObject } from "@cloudwright/contract";
import { generateKeyPair } from "@cloudwright/platform/openssh-key";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

const project = "/v1/projects/default";
const { publicKey } = generateKeyPair();
let api: TestApi;

const host = (name: string, part: JsonObject = {}): JsonObject => ({ name, address: `192.0.2.${name.charCodeAt(0)}`, ...part });
const bmc = { address: "https://192.0.2.5", user: "operator" };

beforeAll(async () => {
  api = await startTestApi();
  await create("accounts", "rack", { local: {} });
  await create("accounts", "sandbox", { simulated: true, aws: {} });
  await create("networks", "lan", { account: "rack", cidr: "192.168.10.0/24" });
  await create("sshkeys", "ops", {});
  await create("sshkeys", "public", { publicKey });
});
afterAll(() => api.close());

const create = async (collection: string, name: string, spec: JsonObject) =>
  (await api.must("POST", `${project}/${collection}`, { body: { metadata: { name }, spec } })).body;
const createInventory = (name: string, hosts: readonly JsonObject[], spec: JsonObject = {}) =>
  create("inventories", name, { account: "rack", sshKey: "ops", hosts: [...hosts], ...spec });
const claim = (name: string, inventory: string, spec: JsonObject = {}) =>
  api.call("POST", `${project}/instances`, { body: { metadata: { name }, spec: { inventory, ...spec } } });
const read = async (path: string) => (await api.must("GET", `${project}/${path}`)).body;

async function refuse(method: string, path: string, body?: JsonObject) {
  const answer = await api.call(method, `${project}/${path}`, body === undefined ? {} : { body });
  return [answer.status, answer.body.code, (answer.body.fields ?? []).map(({ field }) => field)] as const;
}

/** Sets what the last check found, as the reconciler would. */
async function setStates(inventory: string, states: Readonly<Record<string, string>>): Promise<void> {
  const hosts = Object.entries(states).map(([name, state]) => ({ name, state }));
  const text = `update entity set object = jsonb_set(object::jsonb, '{status,hosts}', $2::jsonb)::json where kind = 'Inventory' and name = $1`;
  await api.pool.query({ text, values: [inventory, JSON.stringify(hosts)] });
}

/** Removes an instance, as the reconciler does after the release. */
const release = (name: string) =>
  api.pool
    .query({ text: "delete from entity_link using entity e where from_uid = e.uid and e.name = $1", values: [name] })
    .then(() => api.pool.query({ text: "delete from entity where kind = 'Instance' and name = $1", values: [name] }));

describe("M198 an inventory", () => {
  test("is refused with the field that is wrong", async () => {
    const refused = async (hosts: readonly JsonObject[], spec: JsonObject = {}) =>
      (
        await refuse("POST", "inventories", {
          metadata: { name: "no" },
          spec: { account: "rack", sshKey: "ops", hosts: [...hosts], ...spec },
        })
      )[2];
    expect(await refused([host("a"), host("a", { address: "192.0.2.9" })])).toEqual(["spec.hosts[1].name"]);
    expect(await refused([host("a"), host("b", { address: "192.0.2.97", port: 22 })])).toEqual(["spec.hosts[1].address"]);
    expect(await refused([host("a", { mac: "52:54:00:12:34:56" }), host("b", { mac: "52:54:00:12:34:56" })])).toEqual([
      "spec.hosts[1].mac",
    ]);
    expect(await refused([host("a", { address: "-oProxyCommand=x" })])).toEqual(["spec.hosts[0].address"]);
    expect(await refused([host("a", { bmc })])).toEqual(["spec.hosts[0].bmc"]);
    expect(await refused([host("a", { bmc: { ...bmc, address: "http://192.0.2.5" } })])).toEqual(["spec.hosts[0].bmc.address"]);
    expect(
      await refused([host("a", { bmc: { ...bmc, ca: "x", fingerprint: "0".repeat(64) } })], { bmcPasswords: "a secret" }),
    ).toEqual(["spec.hosts[0].bmc.ca"]);
    expect(await refused([], { bmcPasswords: "secret" })).toEqual(["spec.bmcPasswords"]);
    expect(await refused([], { sshKey: "public" })).toEqual(["spec.sshKey"]);
    expect(await refused([], { sshKey: "missing" })).toEqual(["spec.sshKey"]);
    expect(await refused([], { account: "sandbox" })).toEqual(["spec.account"]);
  });

  test("X063 never returns the passwords of management controllers", async () => {
    await createInventory("secretive", [host("a", { bmc })], { bmcPasswords: "a hunter2\n" });
    const body = await read("inventories/secretive");
    expect(JSON.stringify(body)).not.toContain("hunter2");
    expect(body.status["secretsSet"]).toEqual(["spec.bmcPasswords"]);
    // A change of the hosts keeps the passwords.
    const changed = await api.call("PATCH", `${project}/inventories/secretive`, {
      body: { spec: { hosts: [host("a", { bmc, labels: { disk: "ssd" } })] } },
    });
    expect(changed.status).toBe(202);
  });

  test("is in the way of deleting its key, its account and claimed hosts", async () => {
    await createInventory("used", [host("a"), host("b")]);
    expect((await claim("user", "used", { host: "a" })).status).toBe(202);
    expect((await read("inventories/used")).status["claims"]).toEqual([{ host: "a", instance: "user" }]);
    expect((await api.call("DELETE", `${project}/inventories/used`)).status).toBe(409);
    expect((await api.call("DELETE", `${project}/sshkeys/ops`)).status).toBe(409);
    const change = (hosts: readonly JsonObject[]) => refuse("PATCH", "inventories/used", { spec: { hosts: [...hosts] } });
    expect(await change([host("b")])).toEqual([409, "api.host_claimed", []]);
    // A release at another address would leave the claim on the machine.
    for (const part of [{ address: "192.0.2.200" }, { port: 2222 }, { user: "root" }])
      expect(await change([host("a", part), host("b")])).toEqual([409, "api.host_claimed", []]);
    expect(await refuse("PATCH", "inventories/used", { spec: { user: "root" } })).toEqual([409, "api.host_claimed", []]);
    expect((await change([host("a", { labels: { disk: "ssd" } }), host("b", { address: "192.0.2.201" })]))[0]).toBe(202);
    await release("user");
    expect((await change([]))[0]).toBe(202);
  });
});

describe("M198 a claim", () => {
  test("chooses a free host that is ready and has the labels", async () => {
    await createInventory("pool", [
      host("a"),
      host("b", { labels: { disk: "hdd" } }),
      host("c", { labels: { disk: "ssd" } }),
      host("d", { labels: { disk: "ssd" } }),
    ]);
    expect(await refuse("POST", "instances", { metadata: { name: "none" }, spec: { inventory: "pool" } })).toEqual([
      409,
      "api.no_free_host",
      [],
    ]);
    await setStates("pool", { a: "UNREACHABLE", b: "READY", c: "READY", d: "UNTRUSTED" });
    const chosen = await claim("ssd", "pool", { hostLabels: { disk: "ssd" } });
    expect([chosen.status, chosen.body.spec["host"], chosen.body.metadata.parent]).toEqual([202, "c", "pool"]);
    expect((await claim("hdd", "pool")).body.spec["host"]).toBe("b");
    const none = await claim("late", "pool");
    expect(none.body).toMatchObject({ code: "api.no_free_host" });
    for (const reason of ["a is UNREACHABLE", 'b is claimed by Instance "hdd"', "d is UNTRUSTED"])
      expect(none.body.detail).toContain(reason);
    await release("hdd");
    expect((await claim("late", "pool")).body.spec["host"]).toBe("b");
  });

  test("rejects settings of created machines, unknown hosts, and settings of claims in a network", async () => {
    await createInventory("plain", [host("a", { labels: { disk: "ssd" } })]);
    const refused = async (spec: JsonObject) => (await refuse("POST", "instances", { metadata: { name: "no" }, spec }))[2];
    expect(await refused({ inventory: "plain", machineType: "2x4", image: "debian-12", userData: "#!/bin/sh" })).toEqual([
      "spec.machineType",
      "spec.image",
    ]);
    expect(await refused({ inventory: "plain", host: "a", userData: "#!/bin/sh" })).toEqual(["spec.userData"]);
    expect(await refused({ inventory: "plain", host: "z" })).toEqual(["spec.host"]);
    expect(await refused({ inventory: "plain", host: "a", hostLabels: { disk: "hdd" } })).toEqual(["spec.hostLabels"]);
    expect(await refused({ inventory: "plain", host: "a", running: false })).toEqual(["spec.running"]);
    expect(await refused({ inventory: "missing" })).toEqual(["spec.inventory"]);
    expect(await refused({ network: "lan", host: "a" })).toEqual(["spec.host"]);
    expect(await refused({ network: "lan", inventory: "plain" })).toEqual(["spec.network"]);
    expect(await refused({})).toEqual(["spec.network"]);
    expect((await claim("dry", "plain", { host: "a" })).status).toBe(202);
    expect(await refuse("PATCH", "instances/dry", { spec: { host: "b" } })).toMatchObject([400, "api.invalid", ["spec.host"]]);
    expect(await refuse("PATCH", "instances/dry", { spec: { running: false } })).toMatchObject([
      400,
      "api.invalid",
      ["spec.running"],
    ]);
    expect((await api.call("PATCH", `${project}/instances/dry`, { body: { metadata: { labels: { a: "b" } } } })).status).toBe(
      202,
    );
    await create("volumes", "disk", { account: "rack", sizeGib: 1 });
    expect(await refuse("POST", "volumes/disk:attach", { instance: "dry" })).toMatchObject([
      400,
      "api.invalid",
      ["spec.instance"],
    ]);
  });

  test("M047 of concurrent requests for one host, exactly one succeeds", async () => {
    await createInventory("race", [host("a")]);
    const names = Array.from({ length: 8 }, (_, index) => `racer-${index}`);
    const answers = await Promise.all(names.map((name) => claim(name, "race", { host: "a" })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, ...Array.from({ length: 7 }, () => 409)]);
    expect(new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(
      new Set(["api.host_claimed"]),
    );
  });

  test("M047 concurrent requests without a preference share out the hosts", async () => {
    await createInventory(
      "crowd",
      ["a", "b", "c", "d"].map((name) => host(name)),
    );
    await setStates("crowd", { a: "READY", b: "READY", c: "READY", d: "READY" });
    const names = Array.from({ length: 6 }, (_, index) => `one-of-${index}`);
    const answers = await Promise.all(names.map((name) => claim(name, "crowd")));
    const hosts = answers.flatMap(({ status, body }) => (status === 202 ? [body.spec["host"] as string] : []));
    expect(hosts.toSorted()).toEqual(["a", "b", "c", "d"]);
    expect(answers.filter(({ body }) => body.code === "api.no_free_host")).toHaveLength(2);
  });

  test("M047 a host is either claimed or removed, never both", async () => {
    for (let round = 0; round < 10; round += 1) {
      const inventory = `either-${round}`;
      await createInventory(inventory, [host("a"), host("b")]);
      const [claimed, removed] = await Promise.all([
        claim(`either-${round}`, inventory, { host: "a" }),
        api.call("PATCH", `${project}/inventories/${inventory}`, { body: { spec: { hosts: [host("b")] } } }),
      ]);
      expect([claimed.status, removed.status].filter((status) => status === 202)).toHaveLength(1);
    }
  });
});
