import { createRunLogs, type DeployerDeps, type Stack } from "@cloudwright/deployer";
import { Secret } from "@cloudwright/platform";
import { startTestEndpoint } from "@cloudwright/deployer/testing";
import { createSimulatedCloud } from "@cloudwright/simulator/testing";
import { createHttpBackend } from "@cloudwright/terraform";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { loadPlugins } from "../load-plugins.ts";
import { faultOf, openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

const example = join(import.meta.dirname, "../../../../docs/plug-ins/sim-network");

describe.skipIf(!terraform.found)("external stacks and configurations with real Terraform", () => {
  let platform: TestPlatform;
  let plugin: Required<Pick<DeployerDeps, "stacks" | "configurations">>;
  beforeAll(async () => {
    platform = await openTestPlatform();
    const [loaded] = await loadPlugins([join(example, "plug-in.mjs")]);
    plugin = { stacks: loaded?.stacks ?? [], configurations: loaded?.configurations ?? [] };
  });
  afterAll(() => platform?.close());

  const getStack = (): Stack => plugin.stacks[0] as Stack;

  /** Adds a configuration version to the example's folder by applying `edit` to the first version. */
  const addVersion = (root: string, version: string, upgradesFrom: readonly string[], edit: (main: string) => string): void => {
    const folder = join(root, "sim-network", "azure", version);
    mkdirSync(folder, { recursive: true });
    const [from = ""] = plugin.configurations;
    cpSync(join(from, "sim-network", "azure", "v0.1.0"), folder, { recursive: true });
    const main = join(folder, "main.tf");
    writeFileSync(main, edit(readFileSync(main, "utf8")));
    const stack = { terraform: ">= 1.9", providers: { "cloudwright/sim": "~> 1.0" }, upgradesFrom };
    writeFileSync(join(folder, "stack.json"), JSON.stringify(stack));
  };

  test("M074 the documented example builds and removes a network in another cloud", async () => {
    const entity = platform.openEntity(plugin, "azure");
    const outputs = await entity.build({ cidr: "10.1.0.0/16" });
    const [network] = await entity.list("sim_network");
    expect(outputs).toEqual({ network_id: network?.id, infra_version: "v0.1.0", infra_origin: "v0.1.0" });
    expect(network?.attributes).toMatchObject({ cidr: "10.1.0.0/16" });
    await entity.run("network.destroy");
    expect(await entity.list()).toEqual([]);
  });

  test("M067 M068 M069 an entity keeps its version until it is upgraded along the declared path", async () => {
    const root = join(platform.directory, "upgrades");
    addVersion(root, "v0.1.0", [], (main) => main);
    const deps = { ...plugin, configurations: [root] };
    const entity = platform.openEntity(deps, "azure");
    expect(await entity.build()).toMatchObject({ infra_version: "v0.1.0" });
    addVersion(root, "v0.2.0", ["v0.1.0"], (main) => main.replace("name   = var.name", 'name   = "${var.name}-two"'));
    addVersion(root, "v0.3.0", ["v0.2.0"], (main) => main);
    expect((await entity.plan()).stored.counts).toMatchObject({ update: 0, create: 0 });

    const refused = await faultOf(entity.plan({ infra: { version: "v0.3.0" } }));
    expect(refused).toMatchObject({ code: "deployer.no_upgrade", retry: "never" });
    expect(refused.message).toContain("v0.2.0");
    const upgrade = { infra: { version: "v0.2.0" } };
    // Until the upgrade is applied, drift checks use the old version.
    expect(await entity.run("network.check", { spec: upgrade })).toMatchObject({ drifted: false });
    expect(await entity.build(upgrade)).toMatchObject({ infra_version: "v0.2.0" });
    expect((await entity.list("sim_network"))[0]?.attributes["name"]).toBe("net-two");
    expect(await entity.build({})).toMatchObject({ infra_version: "v0.2.0" });
    expect(await faultOf(entity.plan({ infra: { version: "v0.1.0" } }))).toMatchObject({ code: "deployer.no_upgrade" });
    await entity.run("network.destroy");
    expect(await entity.list()).toEqual([]);
  });

  test("M026 invalid outputs are a permanent fault, and the built resources are in the state", async () => {
    const root = join(platform.directory, "outputs");
    addVersion(root, "v0.1.0", [], (main) => main.replace('output "network_id"', 'output "other_id"'));
    const broken = platform.openEntity({ ...plugin, configurations: [root] }, "azure");
    expect(await faultOf(broken.build())).toMatchObject({ code: "deployer.bad_outputs", retry: "never" });
    expect(await broken.list("sim_network")).toHaveLength(1);
    await broken.run("network.destroy");
    expect(await broken.list()).toEqual([]);
    const status = (): never => undefined as never;
    const silent = platform.openEntity({ ...plugin, stacks: [{ ...getStack(), status }] }, "azure");
    expect(await faultOf(silent.build())).toMatchObject({ code: "deployer.bad_outputs" });
    await silent.run("network.destroy");
  });

  test("M064 M066 M084 a stack's credentials are in the environment of its programs and nowhere else", async () => {
    const canary = "canary-of-the-account-5f1e";
    const given = {
      ...getStack(),
      environment: () => ({ SIM_PLACE: "north" }),
      credentials: () => ({ SIM_TOKEN: new Secret(canary) }),
    };
    const logs = createRunLogs({ directory: join(platform.directory, "secret-logs") });
    const entity = platform.openEntity({ ...plugin, stacks: [given], logs }, "azure");
    const before = platform.started.length;
    const lines: string[] = [];
    const { plan } = await entity.run("network.plan", { log: (line) => lines.push(line) });
    await entity.run("network.apply", { plan: plan as string, log: (line) => lines.push(line) });
    const started = platform.started.slice(before);
    expect(started.map(({ command }) => command)).toEqual(["init", "plan", "show", "init", "apply"]);
    for (const { args, env } of started) {
      expect(env).toMatchObject({ SIM_PLACE: "north", SIM_TOKEN: canary });
      expect(args.join(" ")).not.toContain(canary);
    }
    expect(JSON.stringify(platform.endpoint.plans.get(plan as string)) + lines.join("\n")).not.toContain(canary);
    for (const file of listFiles(platform.directory)) expect(readFileSync(file).includes(canary)).toBe(false);
    await entity.run("network.destroy");
  });

  test("M065 M074 an external backend is used for all states, but the platform still stores the plans", async () => {
    const elsewhere = await startTestEndpoint();
    onTestFinished(() => elsewhere.close());
    const backend: Stack["backend"] = ({ uid }) => createHttpBackend(elsewhere.access(uid));
    const entity = platform.openEntity({ ...plugin, stacks: [{ ...getStack(), backend }] }, "azure");
    const { uid, stored } = await entity.plan();
    expect(stored).toMatchObject({ serial: 0, lineage: "" });
    await entity.apply(uid);
    expect(platform.endpoint.state(entity.uid)).toBeUndefined();
    expect(elsewhere.state(entity.uid)).toContain("sim_network");
    expect((await entity.plan()).stored).toMatchObject({ serial: 0, lineage: "", counts: { create: 0 } });
    await entity.run("network.destroy");
    expect(await entity.list()).toEqual([]);
  });

  test("M061 M069 the provider lock file is stored, sent with the plan and used by later runs", async () => {
    const cloud = await createSimulatedCloud(terraform.found ? terraform.path : "", "spawned");
    onTestFinished(() => cloud.close());
    await cloud.openStack("");
    const root = join(platform.directory, "installed");
    addVersion(root, "v0.1.0", [], (main) => main.replace("cloudwright/sim", "acme/sim"));
    const openCloud: DeployerDeps["openCloud"] = async () => ({
      openTerraform: async () => ({ providers: { filesystemMirror: join(cloud.directory, "mirror-a") } }),
      listOwned: async () => [],
      openCluster: async () => {
        throw new Error("this test installs no add-ons");
      },
      close: async () => undefined,
    });
    const entity = platform.openEntity({ ...plugin, configurations: [root], openCloud }, "azure");
    const { lock_file: lock } = await entity.build();
    expect(lock).toContain("registry.terraform.io/acme/sim");
    const version = { infra_version: "v0.1.0" };
    const strange = (lock as string).replace(/h1:[^"]+/, "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    expect(await faultOf(entity.run("network.check", { outputs: { ...version, lock_file: strange } }))).toMatchObject({
      code: "terraform.provider_not_installed",
    });
    // The apply receives no lock file, and its own init would write a different one. The lock file in the outputs must therefore come from
    // the plan. The hash that this test adds comes first in the list, because Terraform sorts hashes.
    const wider = (lock as string).replace(/(\n *)"h1:/, '$1"h1:++++++++++++++++++++++++++++++++++++++++++A=",$1"h1:');
    const { plan } = await entity.run("network.plan", { outputs: { ...version, lock_file: wider } });
    expect(await entity.run("network.apply", { plan: plan as string, outputs: version })).toMatchObject({ lock_file: wider });
    await entity.run("network.destroy");
  });
});

function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => join(entry.parentPath, entry.name));
}
