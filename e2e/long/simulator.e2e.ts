import { processEnvironment, requireTool, Secret } from "@cloudwright/platform";
import {
  awsProvider,
  createWireInventory,
  createWireFaults,
  openWireConnection,
  startResidentProvider,
  type Inventory,
  type ResidentProvider,
} from "@cloudwright/simulator";
import { createTerraformStack, type TerraformStack } from "@cloudwright/simulator/testing";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAdminCalls } from "../admin-calls.ts";
import { runCloud } from "../cloud-command.ts";
import { createHome, removeHome } from "../home-directory.ts";
import { startLoneAgent, type LoneAgent } from "../kill-matrix/lone-agent.ts";
import { startServer, type RunningServer } from "../server.ts";
import { openSimulatedCloud } from "../simulated-cloud.ts";
import { openState } from "../state-agent.ts";
import { waitUntil } from "../wait-until.ts";

// The lease must outlast the test, because nothing renews it.
const environment = { CLOUDWRIGHT_ROLES: "api,tasks,reconciler", CLOUDWRIGHT_LEASE_SECONDS: "600" };
const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);

const network = `
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {
  region = "eu-west-1"
}
resource "aws_vpc" "this" {
  cidr_block = "10.0.0.0/16"
  tags       = { Name = "wired" }
}
resource "aws_subnet" "this" {
  count             = 3
  vpc_id            = aws_vpc.this.id
  cidr_block        = "10.0.\${count.index}.0/24"
  availability_zone = "eu-west-1a"
}
resource "aws_route_table" "this" {
  vpc_id = aws_vpc.this.id
}
resource "aws_route_table_association" "this" {
  count          = 3
  subnet_id      = aws_subnet.this[count.index].id
  route_table_id = aws_route_table.this.id
}
`;

const resources = 8;

describe.skipIf(!tool.found)("a simulated cloud in the control plane's database", () => {
  let home: string;
  let server: RunningServer;
  let account: string;
  let stack: TerraformStack;
  let provider: ResidentProvider;
  let inventory: Inventory;

  const cloud = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await runCloud({ home }, "sim", ...args);
    if (code !== 0) throw new Error(`cloud sim ${args.join(" ")}: ${err}`);
    return out;
  };

  beforeAll(async () => {
    home = await createHome();
    server = await startServer({ home, environment });
    const access = await openState(server, "sandbox");
    account = access.entityUid;
    const { TF_HTTP_ADDRESS: address = "", TF_HTTP_USERNAME: username = "", TF_HTTP_PASSWORD = "" } = access.environment(server);
    const first = server.address;
    const options = {
      address,
      username,
      password: new Secret(TF_HTTP_PASSWORD),
      // The restarted server listens on another port.
      fetch: (url: unknown, init?: RequestInit) => fetch(String(url).replace(first, server.address), init),
    };
    const connection = openWireConnection(options);
    inventory = createWireInventory(options, connection);
    const providers = { "registry.terraform.io/hashicorp/aws": awsProvider };
    const faults = createWireFaults(options, connection);
    provider = await startResidentProvider({ providers, tenant: account, inventory, faults, directory: tmpdir() });
    stack = await createTerraformStack(tool.found ? tool.path : "", { environment: provider.environment });
    await stack.write(network);
    const { code, output } = await stack.run("init", "-input=false");
    if (code !== 0) throw new Error(output);
  });
  afterAll(async () => {
    await provider?.close();
    await stack?.remove();
    await server?.stop();
    await removeHome(home);
  });

  test("M032 Terraform builds in it, fails where a fault was planned, and detects external changes", async () => {
    await cloud("fail", "create", "aws_subnet", "--nth", "2", "--message", "InsufficientFreeAddresses: none left");
    expect(await stack.run("apply", "-auto-approve", "-no-color")).toMatchObject({
      code: 1,
      output: expect.stringContaining("InsufficientFreeAddresses: none left") as string,
    });
    expect(await cloud("faults")).toMatch(/create call 2 of aws_subnet +DONE/);
    expect(await stack.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    expect(await inventory.list(account)).toHaveLength(resources);
    expect((await cloud("inventory", "-o", "name")).trim().split("\n")).toHaveLength(resources);

    const vpc = (await cloud("inventory", "aws_vpc", "-o", "name")).trim();
    expect(await stack.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    await cloud("drift", vpc, "enable_dns_support=false");
    expect(await stack.run("plan", "-detailed-exitcode", "-no-color")).toMatchObject({
      code: 2,
      output: expect.stringContaining("enable_dns_support") as string,
    });
    expect(await stack.run("destroy", "-auto-approve")).toMatchObject({ code: 0 });
    expect(await inventory.list(account)).toEqual([]);
  });

  test("X031 an apply completes even if the control plane is killed during it, and nothing is created twice", async () => {
    await cloud("fail", "create", "aws_subnet", "--kind", "slow", "--delay", "2s", "--times", "3");
    const applying = stack.start("apply", "-auto-approve").done;
    await waitUntil("the network exists", async () => (await inventory.list(account, "aws_vpc")).length === 1);
    await server.kill9();
    server = await startServer({ home, environment });
    expect(await applying).toMatchObject({ code: 0 });
    expect(await inventory.list(account)).toHaveLength(resources);
    expect(await stack.run("destroy", "-auto-approve")).toMatchObject({ code: 0 });
    expect(await inventory.list(account)).toEqual([]);
  });
});

describe.skipIf(!tool.found)("agents that share nothing", () => {
  let server: RunningServer;
  let agent: LoneAgent;
  const cloud = async (...args: string[]): Promise<void> => {
    const { code, err } = await runCloud({ home: server.home }, ...args);
    if (code !== 0) throw new Error(`cloud ${args.join(" ")}: ${err}`);
  };
  const startAgent = (name: string): Promise<LoneAgent> =>
    startLoneAgent(createAdminCalls(server), {
      name,
      server: server.address,
      directory: join(server.home, name),
      path: processEnvironment["PATH"] ?? "",
    });

  beforeAll(async () => {
    server = await startServer({ environment });
    agent = await startAgent("first");
  });
  afterAll(async () => {
    await agent?.stop();
    await server?.stop();
  });

  test("M032 M052 X082 use the same cloud: one agent creates a network, the other changes and deletes it", async () => {
    const { list } = openSimulatedCloud(() => createAdminCalls(server));
    await cloud("account", "create", "sim", "--cloud", "aws", "--simulated", "--wait");
    await cloud("network", "create", "net", "--account", "sim", "--region", "eu-west-1", "--zones", "a", "--wait");
    const built = (await list()).map(({ id }) => id);
    expect(await list("aws_vpc")).toHaveLength(1);

    await agent.stop();
    agent = await startAgent("second");
    await cloud("network", "update", "net", "--zones", "a", "--zones", "b", "--wait");
    expect((await list()).map(({ id }) => id)).toEqual(expect.arrayContaining(built));
    expect(await list("aws_subnet")).toHaveLength(6);
    // X082: adding, changing or removing a label updates the tags of every resource. Ownership tags stay unchanged.
    const readTags = async (): Promise<object[]> =>
      (await list("aws_subnet")).map(({ attributes }) => attributes["tags"] as object);
    const owner = { "cloudwright:entity": expect.any(String) as string };
    for (const [flags, tags] of [
      [["--label", "team=a", "--label", "karpenter.sh/discovery=evil"], { team: "a" }],
      [["--label", "team=b"], { team: "b" }],
    ] as const) {
      await cloud("network", "update", "net", ...flags, "--wait");
      expect(await readTags()).toEqual(Array.from({ length: 6 }, () => expect.objectContaining({ ...tags, ...owner }) as object));
      expect(JSON.stringify(await readTags())).not.toContain("evil");
    }
    await cloud("network", "update", "net", "--label", "team-", "--wait");
    expect((await readTags()).filter((tags) => "team" in tags)).toEqual([]);
    await cloud("network", "delete", "net", "--yes", "--wait");
    expect(await list()).toEqual([]);
  });
});
