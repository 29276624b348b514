import { createRunLogs, createWarmDirectories } from "@cloudwright/deployer";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

const none = { create: 0, update: 0, replace: 0, delete: 0, import: 0 };
const oneZone = { zones: ["a"], cidr: "10.7.0.0/16" };

describe.skipIf(!terraform.found)("the life of a network with real Terraform", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  test("M026 M060 M061 M062 M070 M071 M072 M083 M084 it is planned, built, left unchanged, changed and removed", async () => {
    const entity = platform.openEntity();
    const first = await entity.plan(oneZone);
    expect(first.stored).toMatchObject({ serial: 0, lineage: "", counts: { ...none, create: first.stored.changes.length } });
    expect(first.stored.changes.find(({ address }) => address === 'aws_vpc.this["network"]')).toMatchObject({
      action: "create",
      resourceType: "aws_vpc",
      values: { before: null, after: { cidr_block: "10.7.0.0/16" } },
    });
    expect(await entity.list()).toEqual([]);
    const outputs = await entity.apply(first.uid, oneZone);
    const [vpc] = await entity.list("aws_vpc");
    expect(outputs).toMatchObject({ network_id: vpc?.id, infra_version: "v1.2.0" });
    expect(outputs).not.toHaveProperty("lock_file");

    const same = await entity.plan(oneZone);
    expect(same.stored).toMatchObject({ serial: 1, counts: none, changes: [], drift: [] });
    expect(await entity.apply(same.uid, oneZone)).toEqual(outputs);

    const wider = { ...oneZone, zones: ["a", "b"] };
    const more = await entity.plan(wider);
    // The four updates add the new zone to the network ACLs and the S3 endpoint.
    expect(more.stored.counts).toEqual({ ...none, create: more.stored.changes.length - 4, update: 4 });
    await entity.apply(more.uid, wider);
    expect(await entity.list("aws_subnet")).toHaveLength(6);

    await entity.run("network.destroy", { spec: wider });
    expect(await entity.list()).toEqual([]);
  });

  test("X021 the payload's parallelism reaches Terraform in plans, applies and destroys", async () => {
    const entity = platform.openEntity();
    const before = platform.started.length;
    const common = { spec: oneZone, parallelism: 3 };
    const plan = (await entity.run("network.plan", common))["plan"] as string;
    await entity.run("network.apply", { ...common, plan });
    await entity.run("network.destroy", common);
    const changing = platform.started.slice(before).filter(({ command }) => command === "plan" || command === "apply");
    expect(changing.map(({ command }) => command)).toEqual(["plan", "apply", "plan", "apply"]);
    expect(changing.filter(({ args }) => !args.includes("-parallelism=3"))).toEqual([]);
  });

  test("M071 X032 a plan lists replacements attribute by attribute and changes nothing until it is applied", async () => {
    const entity = platform.openEntity();
    await entity.build(oneZone);
    const { stored } = await entity.plan({ ...oneZone, cidr: "10.8.0.0/16" });
    expect(stored.counts.replace).toBeGreaterThan(0);
    expect(stored.changes.find(({ address }) => address === 'aws_vpc.this["network"]')).toMatchObject({
      action: "replace",
      replacePaths: ["cidr_block"],
      attributes: expect.arrayContaining([
        { path: "cidr_block", before: "10.7.0.0/16", after: "10.8.0.0/16", sensitive: false, unknown: false },
      ]) as unknown,
    });
    expect((await entity.list("aws_vpc"))[0]?.attributes["cidr_block"]).toBe("10.7.0.0/16");
    await entity.run("network.destroy", { spec: oneZone });
  });

  test("M042 X033 X080 drift is found with old and new values, corrected by a new plan, and ignored where a rule says so", async () => {
    const warm = join(platform.directory, "warm");
    const entity = platform.openEntity({ warm: createWarmDirectories({ directory: warm }) });
    await entity.build(oneZone);
    expect(await entity.run("network.check", { spec: oneZone })).toEqual({ drifted: false, summary: "", items: [], ignored: 0 });
    const [vpc] = await entity.list("aws_vpc");
    const tags = { ...(vpc?.attributes["tags"] as object), Owner: "somebody" };
    await entity.change("aws_vpc", { enable_dns_hostnames: false, tags, tags_all: tags });
    const before = platform.started.length;
    const found = await entity.run("network.check", { spec: oneZone });
    expect(found).toMatchObject({
      drifted: true,
      items: [{ address: 'aws_vpc.this["network"]', resourceType: "aws_vpc", action: "update" }],
    });
    const paths = (found["items"] as { paths: string[] }[])[0]?.paths ?? [];
    expect(paths).toEqual(expect.arrayContaining(["enable_dns_hostnames", 'tags["Owner"]']));
    expect(JSON.stringify(found)).toContain("somebody");
    // The directory was already initialised, so `terraform init` did not run again.
    expect(platform.started.slice(before).map(({ command }) => command)).toEqual(["plan", "show"]);
    expect(statSync(join(warm, entity.uid)).mode & 0o777).toBe(0o700);
    expect(readdirSync(warm, { recursive: true }).filter((name) => /tfplan|tfvars/.test(String(name)))).toEqual([]);

    const ignore = paths.map((path) => ({ address: "aws_vpc.this", path, owner: "them" }));
    const lenient = { ...oneZone, infra: { ignore } };
    expect(await entity.run("network.check", { spec: lenient })).toEqual({
      drifted: false,
      summary: "",
      items: [],
      ignored: paths.length,
    });
    expect((await entity.plan(lenient)).stored.counts).toEqual(none);
    const correcting = await entity.plan(oneZone);
    expect(correcting.stored.counts).toEqual({ ...none, update: 1 });
    expect(correcting.stored.drift).toHaveLength(1);
    await entity.apply(correcting.uid, oneZone);
    expect((await entity.list("aws_vpc"))[0]?.attributes["enable_dns_hostnames"]).toBe(true);
    expect(await entity.run("network.check", { spec: oneZone })).toMatchObject({ drifted: false });
    await entity.run("network.destroy", { spec: oneZone });
    expect(readdirSync(warm)).toEqual([]);
  });

  test("X033 an element added to a set by others can be accepted, and plans still work", async () => {
    const entity = platform.openEntity();
    // Later versions manage each route separately and ignore routes that others add.
    const desired = { ...oneZone, infra: { version: "v1.0.0" } };
    await entity.build(desired);
    const [table] = await entity.list("aws_route_table");
    const attributes = { route_table_id: table!.id, destination_cidr_block: "192.168.0.0/16", gateway_id: "igw-theirs" };
    await platform.inventory.put(entity.account.uid, { type: "aws_route", id: `${table!.id}_192.168.0.0/16`, attributes });
    const { items } = (await entity.run("network.check", { spec: desired })) as { items: { address: string; paths: string[] }[] };
    expect(items).toMatchObject([{ paths: ["route"] }]);
    const ignore = items.flatMap(({ address, paths }) => paths.map((path) => ({ address, path })));
    const spec = { ...oneZone, infra: { version: "v1.0.0", ignore } };
    expect(await entity.run("network.check", { spec })).toMatchObject({ drifted: false });
    expect((await entity.plan(spec)).stored.counts).toEqual(none);
    await entity.run("network.destroy", { spec });
  });

  test("M026 X033 an ignore rule that matches nothing blocks plans but not removals", async () => {
    const entity = platform.openEntity();
    await entity.build(oneZone);
    const misfits: [string, string][] = [
      ["no such", "terraform.bad_option"],
      ["nosuch", "terraform.bad_configuration"],
    ];
    for (const [path, code] of misfits) {
      const spec = { ...oneZone, infra: { ignore: [{ address: "aws_vpc.this", path }] } };
      await expect(entity.run("network.plan", { spec })).rejects.toMatchObject({ code, retry: "never" });
      await entity.run("network.destroy", { spec });
    }
    expect(await entity.list()).toEqual([]);
  });

  test("M042 a resource deleted by others is reported and created again", async () => {
    const entity = platform.openEntity();
    await entity.build(oneZone);
    const [association] = await entity.list("aws_route_table_association");
    await platform.inventory.delete(entity.account.uid, { type: "aws_route_table_association", id: association?.id ?? "" });
    expect(await entity.run("network.check", { spec: oneZone })).toMatchObject({
      items: [{ resourceType: "aws_route_table_association", action: "delete", paths: [] }],
    });
    const count = (await entity.list("aws_route_table_association")).length;
    await entity.build(oneZone);
    expect(await entity.list("aws_route_table_association")).toHaveLength(count + 1);
    await entity.run("network.destroy", { spec: oneZone });
  });

  test("M076 M077 allowed overrides change what is built, and the raw logs of runs are kept", async () => {
    const logs = join(platform.directory, "logs");
    const entity = platform.openEntity({ logs: createRunLogs({ directory: logs }) });
    const resource = { aws_vpc: { this: { enable_dns_hostnames: false } } };
    await entity.build({ ...oneZone, infra: { overrides: { resource } } });
    expect((await entity.list("aws_vpc"))[0]?.attributes["enable_dns_hostnames"]).toBe(false);
    const provisioner = { "local-exec": { command: "true" } };
    const refused = { ...oneZone, infra: { overrides: { resource: { aws_vpc: { this: { provisioner } } } } } };
    for (const type of ["network.preflight", "network.plan"]) {
      await expect(entity.run(type, { spec: refused })).rejects.toMatchObject({ code: "deployer.bad_overrides", retry: "never" });
    }
    // An entity whose spec is rejected can still be deleted.
    await entity.run("network.destroy", { spec: refused });
    expect(await entity.list("aws_vpc")).toEqual([]);
    const kept = readdirSync(logs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".log.gz"));
    expect(kept.filter((name) => name.endsWith("-apply.log.gz"))).toHaveLength(2);
    const text = kept.map((name) => gunzipSync(readFileSync(join(logs, name))).toString()).join("\n");
    expect(text).toContain("aws_vpc.this");
    expect(text).not.toContain(platform.endpoint.access(entity.uid).password.reveal());
  });
});
