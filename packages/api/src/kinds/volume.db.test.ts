import type { JsonObject } from "@cloudwright/contract";
import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

const project = "/v1/projects/default";
const instances = ["one", "two", "three"];
let api: TestApi;
let uidOfOne = "";

beforeAll(async () => {
  api = await startTestApi();
  await create("accounts", "rack", { local: {} });
  await create("networks", "lan", { account: "rack", cidr: "192.168.10.0/24" });
  for (const name of instances) {
    const { metadata } = await create("instances", name, { network: "lan" });
    if (name === "one") uidOfOne = metadata.uid ?? "";
  }
});
afterAll(() => api.close());

const create = async (collection: string, name: string, spec: JsonObject) =>
  (await api.must("POST", `${project}/${collection}`, { body: { metadata: { name }, spec } })).body;
const createVolume = (name: string, spec: JsonObject = {}) => create("volumes", name, { account: "rack", sizeGib: 10, ...spec });
const act = (name: string, verb: "attach" | "detach", body: JsonObject = {}) =>
  api.call("POST", `${project}/volumes/${name}:${verb}`, { body });
const readInstance = async (name: string) =>
  (await api.must("GET", `${project}/volumes/${name}`)).body.spec["instance"] as string;

async function refuse(method: string, path: string, body?: JsonObject) {
  const answer = await api.call(method, `${project}/${path}`, body === undefined ? {} : { body });
  return [answer.status, answer.body.code, (answer.body.fields ?? []).map(({ field }) => field), answer.body.detail] as const;
}

/** Sets a volume's status, as the reconciler would. */
async function setStatus(name: string, status: JsonObject): Promise<void> {
  const text = `update entity set object = jsonb_set(object::jsonb, '{status}', (object::jsonb -> 'status') || $2::jsonb)::json
    where kind = 'Volume' and name = $1`;
  await api.pool.query({ text, values: [name, JSON.stringify(status)] });
}

describe("M025 a volume", () => {
  test("is attached and detached by requests that can be repeated", async () => {
    await createVolume("data");
    const attached = await act("data", "attach", { instance: uidOfOne });
    expect([attached.status, attached.body.spec["instance"], attached.body.metadata.generation]).toEqual([202, "one", 2]);
    const again = await act("data", "attach", { instance: "one" });
    expect([again.status, again.body.metadata.generation]).toEqual([200, 2]);
    expect((await act("data", "detach", { instance: "two" })).body).toMatchObject({ code: "api.volume_attached" });
    expect((await act("data", "detach", { instance: uidOfOne })).status).toBe(202);
    expect((await act("data", "detach")).status).toBe(200);
    expect(await readInstance("data")).toBe("");
  });

  test("changes nothing in a dry run", async () => {
    await createVolume("dry");
    expect((await act("dry", "attach", { instance: "one", dryRun: true })).body.spec["instance"]).toBe("one");
    expect(await readInstance("dry")).toBe("");
  });

  test("cannot be attached to an instance that does not exist or is in another account", async () => {
    await createVolume("picky");
    await create("accounts", "sim", { simulated: true, aws: {} });
    await create("networks", "sim", { account: "sim", region: "eu-west-1" });
    await create("instances", "far", { network: "sim" });
    for (const [instance, reason] of Object.entries({ nobody: "nobody", far: '"sim"' })) {
      const answer = await act("picky", "attach", { instance });
      expect([answer.status, answer.body.fields.map(({ field }) => field)]).toEqual([400, ["spec.instance"]]);
      expect(answer.body.detail).toContain(reason);
    }
    expect((await act("picky", "attach")).status).toBe(400);
  });

  test("can be attached only to an instance in its own region and zone", async () => {
    await create("accounts", "places", { simulated: true, aws: {} });
    await create("networks", "places", { account: "places", region: "eu-west-1" });
    await create("networks", "late-zones", { account: "places", region: "eu-west-1", zones: ["b", "c"] });
    await create("instances", "in-a", { network: "places" });
    await create("instances", "in-b", { network: "late-zones" });
    await create("instances", "in-c", { network: "places", zone: "eu-west-1c" });
    await create("instances", "anywhere", { network: "places", subnet: "subnet-1" });
    const attach = async (name: string, place: JsonObject, instance: string) => {
      const spec = { account: "places", sizeGib: 1, ...place, instance };
      const { status, body } = await api.call("POST", `${project}/volumes?dryRun=true`, { body: { metadata: { name }, spec } });
      return [status, (body.fields ?? []).map(({ field }) => field)];
    };
    const accepted = [expect.any(Number), []];
    const rejected = [400, ["spec.instance"]];
    const region = "eu-west-1";
    expect(await attach("a", { region }, "in-a")).toEqual(accepted);
    expect(await attach("b", { region, zone: "b" }, "in-b")).toEqual(accepted);
    expect(await attach("c", { region, zone: "c" }, "in-c")).toEqual(accepted);
    expect(await attach("d", { region, zone: "b" }, "anywhere")).toEqual(accepted);
    for (const instance of ["in-b", "in-c"]) expect(await attach("e", { region }, instance)).toEqual(rejected);
    expect(await attach("f", { region: "eu-central-1" }, "in-a")).toEqual(rejected);
    expect(await attach("g", { region, zone: "x" }, "")).toEqual([400, expect.arrayContaining(["spec.zone"])]);
  });

  test("grows, but never shrinks below the size that it has", async () => {
    await createVolume("growing");
    await setStatus("growing", { phase: "RUNNING", sizeGib: 10 });
    const resize = (sizeGib: number) => refuse("PATCH", "volumes/growing", { spec: { sizeGib } });
    expect(await resize(9)).toEqual([400, "api.invalid", ["spec.sizeGib"], expect.stringContaining("10 GiB")]);
    expect((await resize(20))[0]).toBe(202);
    // The larger size was never reached, for example because the disk is full.
    await setStatus("growing", { phase: "FAILED", sizeGib: 10 });
    expect((await resize(9))[0]).toBe(400);
    expect((await resize(12))[0]).toBe(202);
  });

  test.each(cloudNames.filter((cloud) => getCloud(cloud).hasVolumes !== true))(
    "is rejected in %s, also in a dry run",
    async (cloud) => {
      await create("accounts", cloud, { simulated: true, [cloud]: {} });
      for (const path of ["volumes", "volumes?dryRun=true"]) {
        const refused = await refuse("POST", path, { metadata: { name: "no" }, spec: { account: cloud, sizeGib: 1 } });
        expect(refused).toEqual([400, "api.invalid", ["spec.account"], expect.stringContaining(getCloud(cloud).title)]);
      }
    },
  );
});

describe("M011 concurrent requests to attach a volume", () => {
  test("have one winner, which the conflicts of the others name", async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = `wanted-${round}`;
      await createVolume(name);
      const answers = await Promise.all(instances.map((instance) => act(name, "attach", { instance })));
      const winner = await readInstance(name);
      const accepted = answers.filter(({ status }) => status === 202);
      expect(accepted.map(({ body }) => body.spec["instance"])).toEqual([winner]);
      for (const { status, body } of answers.filter((answer) => !accepted.includes(answer))) {
        expect([status, body.code]).toEqual([409, "api.volume_attached"]);
        expect(body.detail).toContain(`"${winner}"`);
      }
    }
  });

  test("have one winner even if they are updates", async () => {
    await createVolume("patched");
    const patch = (instance: string) => refuse("PATCH", "volumes/patched", { spec: { instance } });
    const statuses = (await Promise.all(instances.map(patch))).map(([status]) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([202, 409, 409]);
  });
});

describe("M024 an attached volume", () => {
  test("keeps its instance from being deleted, and cannot be deleted itself before it is detached", async () => {
    await create("instances", "host", { network: "lan" });
    await createVolume("kept", { instance: "host" });
    const [status, code, , detail] = await refuse("DELETE", "instances/host");
    expect([status, code, detail]).toEqual([409, "store.in_use", expect.stringContaining('Volume "kept"')]);
    expect((await refuse("DELETE", "networks/lan?cascade=true"))[3]).toContain('Volume "kept"');
    expect((await refuse("DELETE", "volumes/kept")).slice(0, 2)).toEqual([409, "api.volume_attached"]);
    await act("kept", "detach");
    expect((await api.call("DELETE", `${project}/instances/host`)).status).toBeLessThan(300);
    expect((await api.call("DELETE", `${project}/volumes/kept`)).status).toBeLessThan(300);
  });

  test("counts as attached until its detachment has succeeded", async () => {
    await create("instances", "mounted", { network: "lan" });
    await createVolume("busy", { instance: "mounted" });
    await setStatus("busy", { phase: "RUNNING", attachedTo: "mounted" });
    await act("busy", "detach");
    await setStatus("busy", { phase: "DEGRADED" });
    const attached = [409, "api.volume_attached"];
    expect((await refuse("DELETE", "volumes/busy")).slice(0, 2)).toEqual(attached);
    expect((await refuse("DELETE", "instances/mounted")).slice(0, 2)).toEqual(attached);
    expect((await refuse("POST", "volumes/busy:attach", { instance: "two" })).slice(0, 2)).toEqual(attached);
    // The instance that still has the volume can keep it.
    expect((await act("busy", "attach", { instance: "mounted" })).status).toBe(202);
    await act("busy", "detach");
    await setStatus("busy", { phase: "RUNNING", attachedTo: "" });
    for (const path of ["volumes/busy", "instances/mounted"])
      expect((await api.call("DELETE", `${project}/${path}`)).status).toBeLessThan(300);
  });

  test("is deleted with its account and the instance", async () => {
    await create("accounts", "old-rack", { local: {} });
    await create("networks", "old-lan", { account: "old-rack", cidr: "192.168.30.0/24" });
    await create("instances", "old", { network: "old-lan" });
    await create("volumes", "old", { account: "old-rack", sizeGib: 1, instance: "old" });
    expect((await refuse("DELETE", "accounts/old-rack"))[1]).toBe("api.has_children");
    await api.must("DELETE", `${project}/accounts/old-rack?cascade=true`);
    expect((await refuse("GET", "volumes/old"))[0]).toBe(404);
  });
});
