import type { EntityJson, JsonObject } from "@cloudwright/contract";
import { textOf } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { waitUntil } from "../wait-until.ts";
import { createMachineClient, type MachineClient } from "./machine-client.ts";
import type { CloudView, MachinePlatform, MachineSubject } from "./machine-subject.ts";
import type { SimulatedCloud } from "../simulated-cloud.ts";

const sizeGib = 10;
const grownGib = 20;

/**
 * The contract that instances, volumes, security groups and SSH keys fulfil in every cloud. It uses only the REST API of a real server,
 * which builds the entities with a real agent. The tests depend on each other and run in the order below.
 */
export function describeMachineContract(subject: MachineSubject, obstacle?: string): void {
  if (obstacle !== undefined) console.log(`skipped: ${obstacle}`);
  describe.skipIf(obstacle !== undefined)(`M206 machines with groups and volumes: ${subject.cloud}`, () => {
    tellStory(subject);
  });
}

function tellStory(subject: MachineSubject): void {
  let platform: MachinePlatform;
  let client: MachineClient;

  /** Calls a function with the cloud's own view of an entity, if the subject offers one. */
  async function observe(check: (view: CloudView, cloud: SimulatedCloud) => Promise<void>): Promise<void> {
    if (subject.observe !== undefined && platform.simulated !== undefined) await check(subject.observe, platform.simulated);
  }
  const expectAttached = async (volume: EntityJson, instance: string): Promise<void> => {
    expect(volume.status["attachedTo"]).toBe(instance);
    expect(volume.status["device"] === "").toBe(instance === "");
    const id = instance === "" ? "" : (await client.get(`instances/${instance}`)).status["instanceId"];
    await observe(async (view, cloud) => expect(await view.readAttachment(cloud, volume)).toBe(id));
  };
  const groupIdOf = async (name: string): Promise<string> =>
    textOf((await client.get(`securitygroups/${name}`)).status["groupId"]);
  const expectGroups = async (instance: string, ...groups: string[]): Promise<void> => {
    const ids = await Promise.all(groups.map(groupIdOf));
    const found = await client.get(`instances/${instance}`);
    await observe(async (view, cloud) => expect((await view.listGroups(cloud, found)).toSorted()).toEqual(ids.toSorted()));
  };
  const expectIngress = async (name: string, ...rules: string[]): Promise<void> => {
    const group = await client.get(`securitygroups/${name}`);
    await observe(async (view, cloud) => expect((await view.listIngress(cloud, group)).toSorted()).toEqual(rules.toSorted()));
  };

  beforeAll(async () => {
    platform = await subject.start();
    client = createMachineClient(platform.server);
    for (const [name, spec] of Object.entries({ main: subject.account, other: subject.otherAccount }))
      await client.request("POST", "accounts", { metadata: { name }, spec });
    await client.settle("accounts/main");
    await client.create("networks", "lan", { ...subject.network, account: "main" });
    await client.request("POST", "sshkeys", { metadata: { name: "ops" }, spec: {} });
  });
  afterAll(() => platform?.stop());

  test("M180 groups refer to themselves and to each other, and a rule without possible ports is rejected", async () => {
    const ssh = { protocol: "tcp", fromPort: 22 };
    await client.create("securitygroups", "app", { network: "lan", rules: [{ ...ssh, cidr: "10.0.0.0/8" }] });
    const dbRules = [
      { protocol: "tcp", fromPort: 5432, toPort: 5433, group: "app" },
      { protocol: "udp", fromPort: 53, group: "self" },
      { protocol: "arp", group: "app" },
    ];
    await client.create("securitygroups", "db", { network: "lan", rules: dbRules });
    const appRules = [
      { ...ssh, cidr: "10.0.0.0/8" },
      { protocol: "tcp", group: "db" },
    ];
    await client.change("securitygroups/app", { rules: appRules });
    const [app, db] = await Promise.all(["app", "db"].map(groupIdOf));
    expect(app).not.toBe(db);
    await expectIngress("app", "tcp 22-22 from 10.0.0.0/8", `tcp 0-65535 from ${db}`);
    await expectIngress("db", `tcp 5432-5433 from ${app}`, `udp 53-53 from ${db}`);
    const impossible = { protocol: "tcp", fromPort: 90, toPort: 80, cidr: "10.0.0.0/8" };
    const body = { metadata: { name: "no" }, spec: { network: "lan", rules: [impossible] } };
    expect((await client.refuse("POST", "securitygroups", body)).slice(0, 2)).toEqual([400, "api.invalid"]);
  });

  test("M143 instances have a key and several groups, and a volume can be attached as soon as it is created", async () => {
    const create = (name: string, ...securityGroups: string[]) =>
      client.create("instances", name, { ...subject.instance, network: "lan", sshKeys: ["ops"], securityGroups });
    const [one, two] = await Promise.all([create("one", "app", "db"), create("two", "app")]);
    expect(one.status).toMatchObject({ phase: "RUNNING", machineStatus: "running" });
    expect(one.status["instanceId"]).not.toBe(two.status["instanceId"]);
    await expectGroups("one", "app", "db");
    await expectGroups("two", "app");
    const volumes = { data: {}, more: { instance: "one" } };
    const [data, more] = await Promise.all(
      Object.entries(volumes).map(([name, spec]) =>
        client.create("volumes", name, { ...subject.volume, ...spec, account: "main", sizeGib }),
      ),
    );
    expect(data?.status).toMatchObject({ phase: "RUNNING", sizeGib });
    expect(data?.status["volumeId"]).not.toBe(more?.status["volumeId"]);
    if (data !== undefined) await expectAttached(data, "");
    if (more !== undefined) await expectAttached(more, "one");
  });

  test("an instance can have several volumes, but a volume only one instance, which it leaves when it is detached", async () => {
    await expectAttached(await client.act("volumes/data", "attach", { instance: "one" }), "one");
    const [status, code, , detail] = await client.refuse("POST", "volumes/data:attach", { instance: "two" });
    expect([status, code, detail]).toEqual([409, "api.volume_attached", expect.stringContaining('Instance "one"')]);
    const [data, more] = await Promise.all(["data", "more"].map((name) => client.get(`volumes/${name}`)));
    expect(data?.status["device"]).not.toBe(more?.status["device"]);
    const device = data?.status["device"];
    await expectAttached(await client.act("volumes/data", "detach"), "");
    const moved = await client.act("volumes/data", "attach", { instance: "two" });
    await expectAttached(moved, "two");
    expect(moved.status["device"]).toBe(device);
    await client.act("volumes/data", "detach");
    await expectAttached(await client.act("volumes/more", "detach"), "");
  });

  test("M011 of two concurrent requests to attach a volume, one succeeds", async () => {
    const instances = ["one", "two"];
    const outcomes = await Promise.all(instances.map((instance) => client.outcome("POST", "volumes/data:attach", { instance })));
    expect(outcomes.toSorted(([a], [b]) => a - b)).toEqual([
      [202, ""],
      [409, "api.volume_attached"],
    ]);
    const winner = instances[outcomes.findIndex(([status]) => status === 202)] ?? "";
    await expectAttached(await client.settle("volumes/data"), winner);
    await client.act("volumes/data", "detach");
  });

  test("a volume cannot be attached to an instance in another account, region or zone", async () => {
    const places = [
      { ...subject.volume, account: "other" },
      ...subject.distantVolumes.map((spec) => ({ ...spec, account: "main" })),
    ];
    for (const place of places) {
      const body = { metadata: { name: "far" }, spec: { ...place, sizeGib, instance: "one" } };
      const [status, code, fields] = await client.refuse("POST", "volumes", body);
      expect([place, status, code, fields]).toEqual([place, 400, "api.invalid", ["spec.instance"]]);
    }
  });

  test("an attached volume grows, never shrinks, and stays attached while its instance is stopped and started", async () => {
    await client.act("volumes/data", "attach", { instance: "one" });
    const grown = await client.change("volumes/data", { sizeGib: grownGib });
    expect(grown.status["sizeGib"]).toBe(grownGib);
    await observe(async (view, cloud) => expect(await view.readSizeGib(cloud, grown)).toBe(grownGib));
    const shrunk = await client.refuse("PATCH", "volumes/data", { spec: { sizeGib } });
    expect(shrunk.slice(0, 3)).toEqual([400, "api.invalid", ["spec.sizeGib"]]);
    const stopped = await client.change("instances/one", { running: false });
    expect(stopped.status["machineStatus"]).toBe("stopped");
    await expectAttached(await client.get("volumes/data"), "one");
    const started = await client.change("instances/one", { running: true });
    expect([started.status["machineStatus"], started.status["instanceId"]]).toEqual(["running", stopped.status["instanceId"]]);
    await expectAttached(await client.get("volumes/data"), "one");
    await expectGroups("one", "app", "db");
  });

  test("a changed rule starts no work for instances, and an instance changes its groups in place", async () => {
    const before = await client.get("instances/one");
    const rules = [
      { protocol: "icmp", cidr: "10.0.0.0/8" },
      { protocol: "udp", fromPort: 53, group: "self" },
    ];
    await client.change("securitygroups/db", { rules });
    await expectIngress("db", "icmp from 10.0.0.0/8", `udp 53-53 from ${await groupIdOf("db")}`);
    expect((await client.get("instances/one")).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    const changed = await client.change("instances/one", { securityGroups: ["db"] });
    expect(changed.status["instanceId"]).toBe(before.status["instanceId"]);
    await expectGroups("one", "db");
  });

  test("M024 groups, keys, volumes, networks and instances in use cannot be deleted, and the errors list their users", async () => {
    const refusals: Readonly<Record<string, readonly [code: string, user: string]>> = {
      "securitygroups/db": ["store.in_use", 'Instance "one"'],
      "securitygroups/app": ["store.in_use", 'Instance "two"'],
      "sshkeys/ops": ["store.in_use", 'Instance "one"'],
      "volumes/data": ["api.volume_attached", 'Instance "one"'],
      "instances/one": ["store.in_use", 'Volume "data"'],
      "networks/lan": ["api.has_children", "Instance"],
      "networks/lan?cascade=true": ["store.in_use", 'Volume "data"'],
    };
    for (const [path, [code, user]] of Object.entries(refusals)) {
      const [status, found, , detail] = await client.refuse("DELETE", path);
      expect([path, status, found, detail]).toEqual([path, 409, code, expect.stringContaining(user)]);
    }
  });

  test("M042 entities that were not changed outside the platform are in sync", async () => {
    await client.act("volumes/data", "detach");
    const paths = ["instances/one", "securitygroups/app", "securitygroups/db", "volumes/data", "volumes/more"];
    for (const path of paths) expect([path, await client.checkDrift(path)]).toEqual([path, "IN_SYNC"]);
  });

  describe.skipIf(subject.changes.length === 0)("M042 drift is reported and corrected", () => {
    test.for(subject.changes)("after $what", async ({ collection, name, make }) => {
      const path = `${collection}/${name}`;
      await make(platform, await client.get(path));
      await waitUntil("the drift is found", async () => (await client.checkDrift(path)) === "DRIFTED");
      const { metadata } = await client.get(path);
      await client.request("POST", `drifts/${metadata.uid ?? ""}:correct`, {});
      await client.settle(path);
      expect(await client.checkDrift(path)).toBe("IN_SYNC");
    });
  });

  test("X010 deleting the network with everything in it leaves nothing behind, although groups refer to each other", async () => {
    await client.change("securitygroups/app", { rules: [{ protocol: "tcp", group: "db" }] });
    await client.change("securitygroups/db", { rules: [{ protocol: "tcp", group: "app" }] });
    for (const name of ["data", "more"]) await client.delete(`volumes/${name}`);
    expect(await platform.listLeft()).not.toEqual([]);
    await client.delete("networks/lan", "?cascade=true");
    await client.delete("sshkeys/ops");
    expect(await platform.listLeft()).toEqual([]);
  });

  test("X010 an account is deleted together with a volume that is attached", async () => {
    const last: JsonObject = { ...subject.network, account: "main" };
    await client.create("networks", "lan", last);
    await client.request("POST", "sshkeys", { metadata: { name: "ops" }, spec: {} });
    await client.create("instances", "one", { ...subject.instance, network: "lan", sshKeys: ["ops"] });
    await client.create("volumes", "data", { ...subject.volume, account: "main", sizeGib, instance: "one" });
    await client.delete("accounts/main", "?cascade=true");
    expect(await client.outcome("GET", "volumes/data")).toMatchObject([404, expect.any(String)]);
  });
}
