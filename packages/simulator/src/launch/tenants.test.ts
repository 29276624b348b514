import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSimulatedCloud, requirement, tools, type LaunchMode, type SimulatedCloud } from "../testing/simulated-cloud.ts";
import { startResidentProvider } from "./resident-provider.ts";
import { createMemoryInventory } from "../inventory/memory-inventory.ts";
import { simProvider } from "../sim/provider.ts";
import { parseSchema } from "../schema/compact-schema.ts";
import { createTerraformStack } from "../testing/terraform-stack.ts";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const { terraform } = tools;
const configuration = (tenant: string): string => `
provider "sim" { region = "${tenant === "a" ? "north" : "south"}" }
provider "sim" {
  alias  = "other"
  region = "${tenant === "a" ? "south" : "north"}"
}
resource "sim_network" "main" {
  count  = 10
  name   = "${tenant}-\${count.index}"
  cidr   = "10.\${count.index}.0.0/16"
}
resource "sim_network" "other" {
  provider = sim.other
  name     = "${tenant}-other"
  cidr     = "10.100.0.0/16"
}
resource "sim_bucket" "same" { name = "same" }
`;

test("a resident provider's environment names it in both default registries, and its socket is private", async () => {
  const directory = await mkdtemp(join(tmpdir(), "resident-"));
  const providers = { "registry.terraform.io/hashicorp/aws": simProvider, "registry.example.com/acme/own": simProvider };
  const resident = await startResidentProvider({ providers, tenant: "a", inventory: createMemoryInventory(), directory });
  const reattach = JSON.parse(resident.environment.TF_REATTACH_PROVIDERS) as Record<
    string,
    { Test: boolean; Addr: { String: string } }
  >;
  expect(Object.keys(reattach).toSorted()).toEqual([
    "registry.example.com/acme/own",
    "registry.opentofu.org/hashicorp/aws",
    "registry.terraform.io/hashicorp/aws",
  ]);
  for (const { Test, Addr } of Object.values(reattach)) {
    expect(Test).toBe(true);
    expect((await stat(dirname(Addr.String))).mode & 0o077).toBe(0);
  }
  await resident.close();
  await resident.close();
  await rm(directory, { recursive: true });
});

test("if one provider cannot start, none leaves anything behind", async () => {
  const directory = await mkdtemp(join(tmpdir(), "resident-"));
  const broken = { ...simProvider, resources: { other: {} } };
  const started = startResidentProvider({
    providers: { "acme/sim": simProvider, "acme/broken": broken },
    tenant: "a",
    inventory: createMemoryInventory(),
    directory: join(directory, "sockets"),
  });
  await expect(started).rejects.toThrow(expect.objectContaining({ code: "simulator.bad_schema" }));
  expect(await readdir(join(directory, "sockets"))).toEqual([]);
  await rm(directory, { recursive: true });
});

describe.skipIf(!terraform.found)(`tenants${terraform.found ? "" : `: skipped, ${terraform.reason}`}`, () => {
  let cloud: SimulatedCloud;

  beforeEach(async () => {
    cloud = await createSimulatedCloud(terraform.found ? terraform.path : "terraform", "resident");
  });

  afterEach(async () => {
    await cloud.close();
  });

  test.each([
    ["resident", "resident"],
    ["resident", "spawned"],
  ] as LaunchMode[][])("two tenants that run at once (%s, %s) never see each other's resources", async (...modes) => {
    const tenants = ["a", "b"];
    const stacks = await Promise.all(
      tenants.map((tenant, at) => cloud.openStack(configuration(tenant), { tenant, mode: modes[at] as LaunchMode })),
    );
    const runs = await Promise.all(stacks.map((stack) => stack.run("apply", "-auto-approve", "-input=false")));
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    for (const [at, tenant] of tenants.entries()) {
      const networks = await cloud.inventory.list(tenant, "sim_network");
      expect(networks).toHaveLength(11);
      const home = at === 0 ? "north" : "south";
      for (const { attributes } of networks) {
        expect(attributes["name"]).toMatch(new RegExp(`^${tenant}-`));
        expect(attributes["region"] === home).toBe(attributes["name"] !== `${tenant}-other`);
      }
    }
    const [foreign] = await cloud.inventory.list("a", "sim_network");
    const spy = await cloud.openStack(
      `
resource "sim_subnet" "stolen" {
  network_id = "${foreign?.id}"
  cidr       = "10.0.0.0/24"
}
resource "sim_network" "stolen" {
  name = "stolen"
  cidr = "10.0.0.0/16"
}
`,
      { tenant: "b", mode: modes[1] as LaunchMode },
    );
    expect((await spy.run("import", "-input=false", "sim_network.stolen", foreign?.id ?? "")).output).toContain(
      "There is no sim_network",
    );
    const subnet = await spy.run("apply", "-auto-approve", "-input=false", "-json", "-target=sim_subnet.stolen");
    expect(subnet.output).toContain(`There is no network ${foreign?.id}`);
    await spy.write(`${requirement}data "sim_network" "stolen" { id = "${foreign?.id}" }\n`);
    expect((await spy.run("plan", "-input=false")).output).toContain("No sim_network matches");
    expect((await stacks[0]?.run("plan", "-input=false", "-detailed-exitcode"))?.code).toBe(0);
  });

  test("M074 an external provider with its own schema and the legacy type system runs under its own address", async () => {
    const schema = parseSchema({
      resources: {
        own_thing: { of: { id: "c string", name: "r string", colour: "o string" } },
        own_note: { of: { text: "r string" } },
      },
    });
    const definition = {
      name: "own",
      schema,
      resources: { own_thing: { defaults: { colour: "blue" } } },
      legacyTypeSystem: true,
    };
    const inventory = createMemoryInventory();
    const providers = { "registry.example.com/acme/own": definition };
    const resident = await startResidentProvider({ providers, tenant: "a", inventory, directory: join(cloud.directory, "own") });
    const stack = await createTerraformStack(terraform.found ? terraform.path : "terraform", {
      environment: resident.environment,
    });
    await stack.write(`
terraform {
  required_providers {
    own = { source = "registry.example.com/acme/own" }
  }
}
resource "own_thing" "one" { name = "one" }
resource "own_note" "one" { text = "has no id" }
`);
    expect((await stack.run("init", "-input=false")).code).toBe(0);
    const result = await stack.run("apply", "-auto-approve", "-input=false");
    expect(result).toMatchObject({ code: 0 });
    expect(await inventory.list("a")).toMatchObject([
      { type: "own_note", attributes: { text: "has no id" } },
      { type: "own_thing", attributes: { name: "one", colour: "blue" } },
    ]);
    const [note] = await inventory.list("a", "own_note");
    expect((await stack.run("plan", "-input=false", "-detailed-exitcode")).code).toBe(0);
    expect((await stack.run("state", "rm", "own_note.one")).code).toBe(0);
    expect((await stack.run("import", "-input=false", "own_note.one", note?.id ?? "")).code).toBe(0);
    expect((await stack.run("plan", "-input=false", "-detailed-exitcode")).code).toBe(0);
    expect((await stack.run("destroy", "-auto-approve", "-input=false")).code).toBe(0);
    expect(await inventory.list("a")).toEqual([]);
    await resident.close();
    await stack.remove();
  });
});
