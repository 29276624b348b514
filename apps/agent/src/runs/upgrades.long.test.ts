import { createRandom, printSeed } from "@cloudwright/platform/testing";
import type { JsonObject } from "@cloudwright/deployer";
import { type StoredPlan, type TestTaskOptions } from "@cloudwright/deployer/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultOf, openTestPlatform, terraform, type TestEntity, type TestPlatform } from "../testing/test-platform.ts";

const none = { create: 0, update: 0, replace: 0, delete: 0, import: 0 };
const network = { kind: "Network", uid: "n", name: "net", spec: { region: "eu-west-1" }, outputs: {} };

describe.skipIf(!terraform.found)("built-in configuration versions with real Terraform", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  const below = (spec: JsonObject): TestTaskOptions => ({ spec, parents: [network] });
  const planStorage = async (entity: TestEntity, spec: JsonObject): Promise<{ uid: string; stored: StoredPlan | undefined }> => {
    const uid = (await entity.run("storage.plan", below(spec)))["plan"] as string;
    return { uid, stored: platform.endpoint.plans.get(uid) };
  };
  const buildStorage = async (entity: TestEntity, spec: JsonObject): Promise<JsonObject> => {
    const { uid } = await planStorage(entity, spec);
    return entity.run("storage.apply", { ...below(spec), plan: uid });
  };

  test("M069 a v0.1.0 network keeps its version until v1.0.0 is requested; the upgrade is previewed and replaces nothing", async () => {
    const entity = platform.openEntity();
    const spec = { zones: ["a"], nat: "single" };
    const before = await entity.build({ ...spec, infra: { version: "v0.1.0" } });
    expect(before).toMatchObject({ infra_version: "v0.1.0" });
    expect((await entity.plan(spec)).stored.counts).toEqual(none);
    const preview = await entity.plan({ ...spec, infra: { version: "v1.0.0" } });
    expect(preview.stored).toMatchObject({ upgradedFrom: "v0.1.0", counts: { replace: 0, delete: 0 } });
    const made = preview.stored.changes.filter(({ action }) => action === "create").map(({ address }) => address);
    expect(made).toEqual([
      'aws_default_security_group.this["network"]',
      'aws_network_acl.this["intra"]',
      'aws_network_acl.this["private"]',
      'aws_network_acl.this["public"]',
      'aws_vpc_endpoint.s3["network"]',
    ]);
    const after = await entity.apply(preview.uid, { ...spec, infra: { version: "v1.0.0" } });
    expect(after).toMatchObject({ ...before, infra_version: "v1.0.0", cidr: "10.0.0.0/16", zones: ["eu-west-1a"] });
    expect((await entity.plan(spec)).stored.counts).toEqual(none);
    expect(await faultOf(entity.plan({ ...spec, infra: { version: "v0.1.0" } }))).toMatchObject({ code: "deployer.no_upgrade" });
    await entity.run("network.destroy", { spec });
    expect(await entity.list()).toEqual([]);
  });

  test("M069 M115 a v1.0.0 network is upgraded to v1.1.0 by adopting its routes; routes added by others remain, and the gateway keeps its zone", async () => {
    const entity = platform.openEntity();
    const at = (zones: string[], nat: string, version: string): JsonObject => ({ zones, nat, infra: { version } });
    const before = await entity.build(at(["b", "c"], "single", "v1.0.0"));
    const [gateway] = await entity.list("aws_nat_gateway");
    const foreign = await addForeignRoute(entity);
    const upgrade = await entity.plan(at(["b", "c"], "single", "v1.1.0"));
    expect(upgrade.stored.counts).toEqual({ ...none, import: 3 });
    expect(upgrade.stored.changes.filter(({ action }) => action !== "none")).toEqual([]);
    const after = await entity.apply(upgrade.uid, at(["b", "c"], "single", "v1.1.0"));
    expect(after).toMatchObject({ ...before, infra_version: "v1.1.0", nat_zones: ["eu-west-1b"] });
    const publicSubnets = (await entity.list("aws_subnet")).filter(({ attributes }) =>
      JSON.stringify(attributes).includes('"public/'),
    );
    expect(publicSubnets.map(({ attributes }) => attributes["map_public_ip_on_launch"])).toEqual([true, true]);
    const idle = await entity.plan(at(["b", "c"], "single", "v1.1.0"));
    expect([idle.stored.counts, idle.stored.drift, idle.stored.upgradedFrom]).toEqual([none, [], undefined]);
    expect(await entity.run("network.check", { spec: at(["b", "c"], "single", "v1.1.0") })).toMatchObject({ drifted: false });

    const wider = await entity.plan(at(["a", "b", "c"], "single", "v1.1.0"));
    expect(wider.stored.counts).toMatchObject({ replace: 0, delete: 0 });
    await entity.apply(wider.uid, at(["a", "b", "c"], "single", "v1.1.0"));
    expect((await entity.list("aws_nat_gateway")).map(({ id }) => id)).toEqual([gateway?.id]);
    await entity.build(at(["a", "b", "c"], "none", "v1.1.0"));
    const routes = await entity.list("aws_route");
    expect(routes.filter(({ attributes }) => attributes["state"] === "blackhole")).toEqual([]);
    expect(routes.map(({ id }) => id)).toContain(foreign);
    await entity.run("network.destroy", { spec: at(["a", "b", "c"], "none", "v1.1.0") });
    expect(await entity.list()).toEqual([]);

    async function addForeignRoute({ account, list }: TestEntity): Promise<string> {
      const table = (await list("aws_route_table")).find(({ attributes }) => JSON.stringify(attributes).includes('"private/'));
      const [tableId, range] = [table?.id ?? "", "172.16.0.0/12"];
      const [id, region] = [`${tableId}_${range}`, "eu-west-1"];
      const attributes = {
        id,
        region,
        route_table_id: tableId,
        destination_cidr_block: range,
        vpc_peering_connection_id: "pcx-1",
      };
      await platform.inventory.put(account.uid, { type: "aws_route", id, attributes });
      return id;
    }
  });

  test("M069 M115 an upgrade with another zone keeps the NAT gateway, and a blackhole route left by v1.0.0 is removed", async () => {
    const entity = platform.openEntity();
    const at = (zones: string[], nat: string, version: string): JsonObject => ({ zones, nat, infra: { version } });
    await entity.build(at(["b"], "single", "v1.0.0"));
    const [gateway] = await entity.list("aws_nat_gateway");
    await entity.build(at(["a", "b"], "single", "v1.1.0"));
    expect((await entity.list("aws_nat_gateway")).map(({ id }) => id)).toEqual([gateway?.id]);
    const other = platform.openEntity();
    await other.build(at(["a"], "single", "v1.0.0"));
    await other.build(at(["a"], "none", "v1.0.0"));
    const states = async (): Promise<unknown[]> => (await other.list("aws_route")).map(({ attributes }) => attributes["state"]);
    expect(await states()).toContain("blackhole");
    await other.build(at(["a"], "none", "v1.1.0"));
    expect(await states()).toEqual(["active"]);
  });

  test("M069 M110 M138 upgrading any network from v1.1.0 to v1.2.0 changes nothing, and enabling IPv6 afterwards replaces nothing", async () => {
    const random = createRandom(printSeed("network upgrade")).next;
    const isChosen = (): boolean => random() < 0.5;
    const zones = ["a", "b", "c"].filter(isChosen);
    const spec: JsonObject = {
      zones: zones.length === 0 ? ["b"] : zones,
      nat: ["none", "single", "per-zone"][Math.floor(random() * 3)] ?? "none",
    };
    const aws: JsonObject = {
      ...(isChosen() ? { flowLogs: true, loadBalancerIps: 1 } : {}),
      ...(isChosen() ? { secondaryCidrs: ["100.64.0.0/16"], controlPlanePeerCidrs: ["172.16.0.0/16"] } : {}),
      ...(isChosen() ? { publicIpsOnLaunch: true } : {}),
    };
    const at = (version: string, change: JsonObject = {}): JsonObject => ({
      ...spec,
      aws: { ...aws, ...change },
      infra: { version },
    });
    const entity = platform.openEntity();
    const before = await entity.build(at("v1.1.0"));
    // The network keeps its version until the upgrade is requested.
    expect((await entity.plan({ ...spec, aws })).stored).toMatchObject({ counts: none });
    const upgrade = await entity.plan(at("v1.2.0"));
    expect(upgrade.stored).toMatchObject({ upgradedFrom: "v1.1.0", counts: none });
    expect(upgrade.stored.changes.filter(({ action }) => action !== "none")).toEqual([]);
    const after = await entity.apply(upgrade.uid, at("v1.2.0"));
    expect(after).toMatchObject({ ...before, infra_version: "v1.2.0", nat_retiring: [], ipv6_cidr: "" });
    expect(after).not.toHaveProperty("next_run");
    expect(await entity.run("network.check", { spec: at("v1.2.0") })).toMatchObject({ drifted: false });

    const wider = await entity.plan(at("v1.2.0", { ipv6: true }));
    expect(wider.stored.counts).toMatchObject({ replace: 0, delete: 0 });
    const outputs = await entity.apply(wider.uid, at("v1.2.0", { ipv6: true }));
    expect(outputs).toMatchObject({ network_id: before["network_id"], ipv6_cidr: expect.stringMatching(/::\/56$/) as string });
    expect((await entity.plan(at("v1.2.0", { ipv6: true }))).stored.counts).toEqual(none);
    expect(await faultOf(entity.plan(at("v1.2.0")))).toMatchObject({ code: "deployer.bad_spec" });
    // A spec that cannot be planned does not prevent the deletion.
    await entity.run("network.destroy", { spec: at("v1.2.0") });
    expect(await entity.list()).toEqual([]);
  });

  test("M069 M137 a bucket is upgraded from v1.0.0 to v1.1.0; the error for v0.1.0 names the path", async () => {
    const entity = platform.openEntity();
    const spec = { bucket: { versioning: true } };
    const at = (version: string): JsonObject => ({ ...spec, infra: { version } });
    await buildStorage(entity, at("v0.1.0"));
    const refused = await faultOf(planStorage(entity, at("v1.1.0")));
    expect(refused).toMatchObject({ code: "deployer.no_upgrade" });
    expect(refused.message).toContain("v1.0.0");
    await buildStorage(entity, at("v1.0.0"));
    expect((await planStorage(entity, spec)).stored?.counts).toEqual(none);
    const { stored } = await planStorage(entity, at("v1.1.0"));
    expect(stored?.changes).toMatchObject([{ address: 'aws_s3_bucket_ownership_controls.this["bucket"]', action: "create" }]);
    expect(await buildStorage(entity, at("v1.1.0"))).toMatchObject({ infra_version: "v1.1.0" });
    const upgrade = await planStorage(entity, at("v1.2.0"));
    expect(upgrade.stored).toMatchObject({ counts: none, upgradedFrom: "v1.1.0" });
    expect(await buildStorage(entity, at("v1.2.0"))).toMatchObject({ infra_version: "v1.2.0", infra_origin: "v0.1.0" });
    expect((await planStorage(entity, spec)).stored?.counts).toEqual(none);
    expect(await entity.list("aws_s3_bucket_lifecycle_configuration")).toEqual([]);
    const fresh = platform.openEntity();
    expect(await buildStorage(fresh, spec)).toMatchObject({ infra_version: "v1.2.0", infra_origin: "v1.2.0" });
    expect(await fresh.list("aws_s3_bucket_lifecycle_configuration")).toHaveLength(1);
    await entity.run("storage.destroy", below(spec));
    expect(await entity.list()).toEqual([]);
  });

  test("M069 M137 a volume is upgraded to v1.2.0: nothing changes, its alias no longer replaces it, and no drift is found", async () => {
    const entity = platform.openEntity();
    const spec = { volume: { sizeGib: 10, encryptionKey: "arn:aws:kms:eu-west-1:123456789012:alias/data" } };
    const at = (version: string): JsonObject => ({ ...spec, infra: { version } });
    await buildStorage(entity, at("v1.1.0"));
    expect((await planStorage(entity, spec)).stored?.counts).toEqual({ ...none, replace: 1 });
    expect((await planStorage(entity, at("v1.2.0"))).stored?.counts).toEqual(none);
    await buildStorage(entity, at("v1.2.0"));
    expect((await planStorage(entity, spec)).stored).toMatchObject({ counts: none, drift: [] });
    expect(await entity.run("storage.check", below(spec))).toMatchObject({ drifted: false });
    await entity.run("storage.destroy", below(spec));
    expect(await entity.list()).toEqual([]);
  });

  test.each([
    ["its deployer", { bucket: { lifecycleRules: [{ id: "expire", expireAfterDays: 1 }] } }],
    ["its configuration", { bucket: { encryptionKey: "mine" } }],
  ])("X010 a bucket is deleted although %s rejects its spec", async (_what, wrong) => {
    const entity = platform.openEntity();
    await buildStorage(entity, { bucket: {} });
    expect((await faultOf(planStorage(entity, wrong))).code).toMatch(/^(deployer\.bad_spec|terraform\.bad_variables)$/);
    await entity.change("aws_s3_bucket", { object_count: 3 });
    expect(await faultOf(entity.run("storage.destroy", below(wrong)))).toMatchObject({ code: "deployer.bucket_not_empty" });
    await entity.run("storage.destroy", below({ bucket: { ...wrong.bucket, forceDestroy: true } }));
    expect(await entity.list()).toEqual([]);
  });

  test("X010 M033 an existing network is forgotten on deletion, even if it no longer exists", async () => {
    const owner = platform.openEntity();
    const { network_id: id } = await owner.build({ zones: ["a"] });
    const guest = platform.openEntity();
    const { account } = owner;
    const beside = { account, spec: { existing: { id } } as JsonObject };
    const plan = (await guest.run("network.plan", beside))["plan"] as string;
    expect(await guest.run("network.apply", { ...beside, plan })).toMatchObject({ network_id: id });
    await owner.run("network.destroy", { spec: { zones: ["a"], nat: "single", subnets: { private: ["10.0.0.0/24"] } } });
    expect(await owner.list()).toEqual([]);
    expect(await guest.run("network.destroy", beside)).toEqual({});
  });

  test("M137 a bucket with objects is kept and the object count is reported, until the spec allows deleting the objects", async () => {
    const entity = platform.openEntity();
    const spec = { bucket: { versioning: true } };
    const { resource_id: bucket } = await buildStorage(entity, spec);
    await entity.change("aws_s3_bucket", { object_count: 3 });
    expect((await planStorage(entity, spec)).stored).toMatchObject({ counts: none, drift: [] });
    const before = await entity.list();
    const refused = await faultOf(entity.run("storage.destroy", below(spec)));
    expect(refused).toMatchObject({ code: "deployer.bucket_not_empty", retry: "never", extra: { bucket, objects: 3 } });
    expect(await entity.list()).toEqual(before);
    const forced = { bucket: { versioning: true, forceDestroy: true } };
    const { uid } = await planStorage(entity, { bucket: { versioning: false } });
    await entity.run("storage.apply", { ...below({ bucket: { versioning: false } }), plan: uid });
    expect((await entity.list("aws_s3_bucket"))[0]?.attributes["object_count"]).toBe(3);
    await entity.run("storage.destroy", below(forced));
    expect(await entity.list()).toEqual([]);
  });
});
