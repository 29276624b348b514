import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { processEnvironment } from "@cloudwright/platform";
import { createSimulatedCloud, getBundle, requirement, tools, type SimulatedCloud } from "../testing/simulated-cloud.ts";
import { createTerraformStack } from "../testing/terraform-stack.ts";
import { writeProviderMirror } from "./provider-mirror.ts";

const { terraform } = tools;
const bucket = 'resource "sim_bucket" "one" {\n  name = "one"\n}\n';
const named = { version: "1.2.3", definition: "sim", tenant: "a" };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "spawned-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const files = () => ({ inventoryDirectory: join(folder, "inventory"), faultsFile: join(folder, "faults.json") });

test("M074 a mirror offers a provider under its address, in both default registries if the host is omitted", async () => {
  const bundle = await getBundle();
  await writeProviderMirror(folder, { ...named, ...files(), address: "hashicorp/aws", bundle });
  await writeProviderMirror(folder, { ...named, ...files(), address: "registry.example.com/acme/own", bundle });
  expect((await readdir(folder)).toSorted()).toEqual(["registry.example.com", "registry.opentofu.org", "registry.terraform.io"]);
  expect(await readdir(join(folder, "registry.opentofu.org/hashicorp/aws"))).toEqual(["1.2.3"]);
});

test.each(["sim", "Acme/Sim", "a/b/c/d", "acme/../sim", "acme/sim "])('the address "%s" is rejected', async (address) => {
  const written = writeProviderMirror(folder, { ...named, ...files(), address, bundle: await getBundle() });
  await expect(written).rejects.toThrow(expect.objectContaining({ code: "simulator.bad_address" }));
});

test("an invalid version and a missing bundle are rejected", async () => {
  const options = { ...named, ...files(), address: "acme/sim", bundle: await getBundle() };
  const code = (reason: string) => expect.objectContaining({ code: `simulator.${reason}` });
  await expect(writeProviderMirror(folder, { ...options, version: "1/2" })).rejects.toThrow(code("bad_address"));
  await expect(writeProviderMirror(folder, { ...options, bundle: join(folder, "none") })).rejects.toThrow(code("missing_bundle"));
});

test("a provider started by hand explains that it is a plug-in and exits", async () => {
  await writeProviderMirror(folder, {
    ...named,
    ...files(),
    address: "registry.example.com/acme/own",
    bundle: await getBundle(),
  });
  const [platform = ""] = await readdir(join(folder, "registry.example.com/acme/own/1.2.3"));
  const program = join(folder, "registry.example.com/acme/own/1.2.3", platform, "terraform-provider-own_v1.2.3.cjs");
  const env = { PATH: processEnvironment["PATH"] };
  await expect(promisify(execFile)(program, [], { env })).rejects.toMatchObject({ code: 1, stdout: "" });
});

describe.skipIf(!terraform.found)(`started by Terraform${terraform.found ? "" : `: skipped, ${terraform.reason}`}`, () => {
  let cloud: SimulatedCloud;

  beforeEach(async () => {
    cloud = await createSimulatedCloud(terraform.found ? terraform.path : "terraform", "spawned");
  });

  afterEach(async () => {
    await cloud.close();
  });

  test("the lock file of a stack stays valid when the bundle changes", async () => {
    const bundle = join(folder, "provider.cjs");
    await writeFile(bundle, await readFile(await getBundle()));
    const settings = await writeProviderMirror(join(folder, "mirror"), { ...named, ...files(), address: "acme/sim", bundle });
    const stack = await createTerraformStack(terraform.found ? terraform.path : "terraform", { settings });
    await stack.write(requirement + bucket);
    expect((await stack.run("init", "-input=false")).code).toBe(0);
    const lock = await readFile(join(stack.directory, ".terraform.lock.hcl"), "utf8");
    expect(lock).toContain("h1:");
    await writeFile(bundle, `${await readFile(bundle, "utf8")}\n// rebuilt\n`);
    await writeProviderMirror(join(folder, "mirror"), { ...named, ...files(), address: "acme/sim", bundle });
    expect((await stack.run("init", "-input=false", "-lockfile=readonly")).code).toBe(0);
    expect((await stack.run("plan", "-input=false")).code).toBe(0);
    expect(await readFile(join(stack.directory, ".terraform.lock.hcl"), "utf8")).toBe(lock);
    await stack.remove();
  });

  test.each([
    ["exits at once", { kind: "crash" }, "Failed to read any lines"],
    ["prints noise instead of a handshake", { kind: "rubbish" }, "hello, this is no handshake"],
  ] as const)("a provider that %s fails the run, and the next run succeeds", async (_what, fault, said) => {
    const stack = await cloud.openStack(bucket);
    await cloud.faults.add({ ...fault, operation: "start" });
    const { code, output } = await stack.run("plan", "-input=false");
    expect(code).toBe(1);
    expect(output).toContain(said);
    expect((await stack.run("plan", "-input=false")).code).toBe(0);
  });

  test("noise on standard output and secrets on standard error do no harm", async () => {
    await cloud.faults.add(
      { kind: "rubbish", where: "stdout", operation: "plan" },
      { kind: "echo_secrets", where: "stderr", operation: "create" },
    );
    const stack = await cloud.openStack('provider "sim" { token = "canary-token" }\n' + bucket);
    const { code, output } = await stack.run("apply", "-auto-approve", "-input=false");
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).not.toContain("canary-token");
  });

  test("with the provider log enabled, the log contains the provider's standard error", async () => {
    await cloud.faults.add({ kind: "echo_secrets", where: "stderr", operation: "create" });
    const stack = await cloud.openStack('provider "sim" { token = "canary-token" }\n' + bucket, {
      environment: { TF_LOG_PROVIDER: "DEBUG" },
    });
    expect((await stack.run("apply", "-auto-approve", "-input=false")).output).toContain("canary-token");
  });

  test("a provider works without TLS, and with a temporary directory whose path is too long for sockets", async () => {
    const long = join(folder, "x".repeat(100));
    await mkdir(long);
    const stack = await cloud.openStack(bucket, { environment: { TF_DISABLE_PLUGIN_TLS: "1", TMPDIR: long } });
    expect((await stack.run("apply", "-auto-approve", "-input=false")).code).toBe(0);
    expect(await cloud.inventory.list("a")).toHaveLength(1);
  });
});
