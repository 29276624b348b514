import type { JsonObject } from "@cloudwright/deployer";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { forgetResources } from "../testing/lose-resources.ts";
import { gkeNetwork, gkeParents } from "../testing/rich-specs-gke.ts";
import { faultOf, openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

const region = "europe-west1";
const spec = { region, nat: "single", gcp: { natIps: 1 } };

describe.skipIf(!terraform.found)("interrupted runs in Google Cloud with real Terraform", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterEach(() => platform.faults.clear());
  afterAll(() => platform?.close());

  const killTerraform = (): void => void process.kill(-(platform.started.at(-1)?.child.pid ?? 0), "SIGKILL");
  const areHanging = async (times: number): Promise<void> => {
    await expect.poll(async () => (await platform.faults.list()).map(({ seen }) => seen)).toEqual([times]);
  };

  test("X030 X031 M136 after SIGKILL during an apply, the next plan adopts what was created, and a deletion leaves nothing", async () => {
    const entity = platform.openEntity({}, "gcp");
    const { uid, stored } = await entity.plan(spec);
    const tenant = entity.account.uid;
    await platform.faults.add({ operation: "create", type: "google_compute_router", tenant, kind: "hang", deaf: true, times: 1 });
    const fault = faultOf(entity.apply(uid, spec));
    await areHanging(1);
    await expect.poll(async () => (await entity.list("google_compute_firewall")).length).toBe(3);
    killTerraform();
    expect(await fault).toMatchObject({ code: "terraform.killed", retry: "backoff" });
    const made = (await entity.list()).map(({ id }) => id);
    expect(made.length).toBeGreaterThan(4);
    const again = await faultOf(entity.run("network.apply", { spec, plan: uid, resumed: true }));
    expect(again).toMatchObject({ code: "deployer.plan_gone", retry: "never" });
    const next = await entity.plan(spec);
    expect(next.stored.counts).toMatchObject({ create: stored.counts.create - made.length, replace: 0, delete: 0 });
    await entity.apply(next.uid, spec);
    expect((await entity.list()).map(({ id }) => id)).toEqual(expect.arrayContaining(made));
    await entity.run("network.destroy", { spec });
    expect(await entity.list()).toEqual([]);
  });

  test("X030 after SIGKILL during a removal, the next run removes the rest", async () => {
    const entity = platform.openEntity({}, "gcp");
    await entity.build(spec);
    const tenant = entity.account.uid;
    await platform.faults.add({
      operation: "delete",
      type: "google_compute_subnetwork",
      tenant,
      kind: "hang",
      deaf: true,
      times: 1,
    });
    const destroying = faultOf(entity.run("network.destroy", { spec }));
    await areHanging(1);
    killTerraform();
    expect(await destroying).toMatchObject({ code: "terraform.killed" });
    await entity.run("network.destroy", { spec, resumed: true });
    expect(await entity.list()).toEqual([]);
  });

  test("M033 X010 an existing network is used and left alone, and it is forgotten on deletion", async () => {
    const owner = platform.openEntity({}, "gcp");
    const { network_id: id, private_subnet_ids: subnets } = await owner.build({ region });
    const before = await owner.list();
    const guest = platform.openEntity({}, "gcp");
    const beside = { account: owner.account, spec: { region, existing: { id, privateSubnetIds: subnets } } as JsonObject };
    const plan = (await guest.run("network.plan", beside))["plan"] as string;
    expect(await guest.run("network.apply", { ...beside, plan })).toMatchObject({
      network_id: id,
      private_subnet_ids: subnets,
      cidr: "10.0.0.0/20",
      pod_range_name: "pods",
    });
    expect(await owner.list()).toEqual(before);
    const missing = { ...beside, spec: { ...beside.spec, gcp: { podRangeName: "more-pods" } } };
    expect((await faultOf(guest.run("network.plan", missing))).message).toContain("lacks a secondary range named more-pods");
    expect(await guest.run("network.destroy", beside)).toEqual({});
    expect(await owner.list()).toEqual(before);
    await owner.run("network.destroy", { spec: { region } });
    expect(await owner.list()).toEqual([]);
  });

  test("M119 Cloud NAT addresses are released before they are deleted, whatever the change", async () => {
    const entity = platform.openEntity({}, "gcp");
    const at = (nat: string, natIps: number): JsonObject => ({ region, nat, gcp: { natIps } });
    await entity.build(at("single", 3));
    for (const [nat, natIps] of [
      ["single", 1],
      ["single", 0],
      ["per-zone", 2],
      ["none", 0],
    ] as const) {
      const { uid, stored } = await entity.plan(at(nat, natIps));
      expect(stored.counts).toMatchObject({ replace: 0 });
      await entity.apply(uid, at(nat, natIps));
      expect(await entity.list("google_compute_address")).toHaveLength(natIps);
    }
    expect(await entity.list("google_compute_router")).toEqual([]);
    await entity.run("network.destroy", { spec: at("none", 0) });
    expect(await entity.list()).toEqual([]);
  });

  test("X010 M136 the next apply restores a workload identity binding that the state lost, without a duplicate, and the binding is removed with its cluster", async () => {
    const entity = platform.openEntity({}, "gcp");
    const tenant = entity.account.uid;
    for (const record of gkeNetwork) await platform.inventory.put(tenant, record);
    const email = "website@simulated.iam.gserviceaccount.com";
    const id = `projects/simulated/serviceAccounts/${email}`;
    const attributes = { id, email, name: id, account_id: "website", project: "simulated" };
    await platform.inventory.put(tenant, { type: "google_service_account", id, attributes });
    const workloadIdentities = [{ namespace: "shop", serviceAccount: "web", googleServiceAccount: email }];
    const options = {
      name: "shop",
      parents: [...gkeParents],
      spec: { version: "1.34", workers: 1, gcp: { workloadIdentities } },
    };
    const plan = async (): Promise<string> => (await entity.run("cluster.plan", options))["plan"] as string;
    const bindings = async (): Promise<readonly unknown[]> =>
      (await entity.list("google_service_account_iam_member")).map(({ attributes: { member } }) => member);
    await entity.run("cluster.apply", { ...options, plan: await plan() });
    const before = await bindings();
    expect(before).toHaveLength(1);
    forgetResources(platform, entity, ({ type }) => type === "google_service_account_iam_member");
    const uid = await plan();
    expect(platform.endpoint.plans.get(uid)?.counts).toMatchObject({ create: 1, update: 0, replace: 0, delete: 0 });
    await entity.run("cluster.apply", { ...options, plan: uid });
    expect(await bindings()).toEqual(before);
    expect(platform.endpoint.plans.get(await plan())?.changes).toEqual([]);
    await entity.run("cluster.destroy", options);
    expect(await bindings()).toEqual([]);
    // The service account itself belongs to the user and must not be deleted.
    expect((await entity.list("google_service_account")).map((record) => record.id)).toEqual([id]);
  });
});
