import type { JsonObject } from "@cloudwright/contract";
import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { enqueueTask } from "../testing/work.ts";

const project = "/v1/projects/default";
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  await create("accounts", "rack", { local: {} });
  for (const [name, cidr] of Object.entries({ lan: "192.168.10.0/24", dmz: "192.168.20.0/24" }))
    await create("networks", name, { account: "rack", cidr });
});
afterAll(() => api.close());

const create = async (collection: string, name: string, spec: JsonObject) =>
  (await api.must("POST", `${project}/${collection}`, { body: { metadata: { name }, spec } })).body;
const createGroup = (name: string, ...rules: JsonObject[]) => create("securitygroups", name, { network: "lan", rules });
const allow = (group: string): JsonObject => ({ protocol: "tcp", fromPort: 22, group });

async function refuse(method: string, path: string, body?: JsonObject) {
  const answer = await api.call(method, `${project}/${path}`, body === undefined ? {} : { body });
  return [answer.status, answer.body.code, (answer.body.fields ?? []).map(({ field }) => field), answer.body.detail] as const;
}

describe("M025 a security group", () => {
  test("stores the defaults of its rules, so that the same rules in another spelling change nothing", async () => {
    const { spec, metadata } = await createGroup("defaults", allow("self"), { protocol: "arp", cidr: "0.0.0.0/0" });
    expect(spec["rules"]).toEqual([
      { direction: "ingress", protocol: "tcp", fromPort: 22, toPort: 22, cidr: "", group: "self" },
      { direction: "ingress", protocol: "arp", fromPort: 0, toPort: 0, cidr: "0.0.0.0/0", group: "" },
    ]);
    const rules = [
      { direction: "ingress", protocol: "tcp", fromPort: 22, toPort: 22, group: "self" },
      { protocol: "arp", cidr: "0.0.0.0/0" },
    ];
    const body = { spec: { network: "lan", rules } };
    const again = await api.must("PUT", `${project}/securitygroups/defaults`, { body });
    expect(again.body.metadata.generation).toBe(metadata.generation);
  });

  test("names another group by name or uid, and both are stored as the name", async () => {
    const { metadata } = await createGroup("target");
    const { spec } = await createGroup("source", allow("target"), allow(metadata.uid ?? ""));
    expect((spec["rules"] as JsonObject[]).map(({ group }) => group)).toEqual(["target", "target"]);
  });

  test("rejects groups that do not exist, that are in another network, and itself by name", async () => {
    await create("securitygroups", "outside", { network: "dmz" });
    await createGroup("inside");
    const change = (group: string) => refuse("PATCH", "securitygroups/inside", { spec: { rules: [allow(group)] } });
    expect(await change("nobody")).toEqual([400, "api.invalid", ["spec.rules.group"], expect.stringContaining("nobody")]);
    expect(await change("outside")).toEqual([400, "api.invalid", ["spec.rules.group"], expect.stringContaining('"dmz"')]);
    expect(await change("inside")).toEqual([400, "api.invalid", ["spec.rules.group"], expect.stringContaining("self")]);
  });

  test.each(cloudNames.filter((cloud) => getCloud(cloud).hasSecurityGroups !== true))(
    "is rejected in %s, also in a dry run",
    async (cloud) => {
      await create("accounts", cloud, { simulated: true, [cloud]: {} });
      await create("networks", cloud, { account: cloud, region: getCloud(cloud).regions.default });
      for (const path of ["securitygroups", "securitygroups?dryRun=true"]) {
        const refused = await refuse("POST", path, { metadata: { name: "no" }, spec: { network: cloud } });
        expect(refused).toEqual([400, "api.invalid", ["spec.network"], expect.stringContaining(getCloud(cloud).title)]);
      }
    },
  );
});

describe("M024 a security group in use", () => {
  test("cannot be deleted, and the message lists its users", async () => {
    await createGroup("web");
    await createGroup("friend", allow("web"));
    await create("instances", "server", { network: "lan", securityGroups: ["web"] });
    const [status, code, , detail] = await refuse("DELETE", "securitygroups/web");
    expect([status, code]).toEqual([409, "store.in_use"]);
    expect(detail).toContain('Instance "server", SecurityGroup "friend"');
    await api.must("PATCH", `${project}/instances/server`, { body: { spec: { securityGroups: [] } } });
    await api.must("PATCH", `${project}/securitygroups/friend`, { body: { spec: { rules: [] } } });
    expect((await api.call("DELETE", `${project}/securitygroups/web`)).status).toBeLessThan(300);
  });

  test("is rejected for an instance in another network", async () => {
    await createGroup("of-lan");
    const body = { metadata: { name: "stranger" }, spec: { network: "dmz", securityGroups: ["of-lan"] } };
    expect(await refuse("POST", "instances", body)).toEqual([
      400,
      "api.invalid",
      ["spec.securityGroups"],
      expect.stringContaining('"lan"'),
    ]);
  });

  test("does not wait for a group that is deleted with it, although the two refer to each other", async () => {
    await create("networks", "mutual", { account: "rack", cidr: "192.168.40.0/24" });
    for (const name of ["a", "b"]) await enqueueTask(api, await create("securitygroups", name, { network: "mutual" }));
    for (const [name, group] of Object.entries({ a: "b", b: "a" }))
      await api.must("PATCH", `${project}/securitygroups/${name}`, { body: { spec: { rules: [allow(group)] } } });
    const countLinks = async (): Promise<number> => {
      const text = `select 1 from entity_link l join entity e on e.uid = l.from_uid where e.kind = 'SecurityGroup' and e.name in ('a', 'b')`;
      return (await api.pool.query({ text, values: [] })).rows.length;
    };
    expect((await refuse("DELETE", "securitygroups/a"))[1]).toBe("store.in_use");
    expect(await countLinks()).toBe(2);
    await api.must("DELETE", `${project}/networks/mutual?cascade=true`);
    expect((await api.must("GET", `${project}/securitygroups/a`)).body.status["phase"]).toBe("DELETING");
    expect(await countLinks()).toBe(0);
  });

  test("does not change the instances when its rules change", async () => {
    await createGroup("busy");
    const before = await create("instances", "calm", { network: "lan", securityGroups: ["busy"] });
    await api.must("PATCH", `${project}/securitygroups/busy`, { body: { spec: { rules: [allow("self")] } } });
    const { metadata } = (await api.must("GET", `${project}/instances/calm`)).body;
    expect([metadata.generation, metadata.operation]).toEqual([before.metadata.generation, before.metadata.operation]);
  });
});
