import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireTool } from "@cloudwright/platform";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMemoryInventory } from "../inventory/memory-inventory.ts";
import { changeRecord } from "../inventory/inventory.ts";
import { listTagged } from "../inventory/list-tagged.ts";
import { startResidentProvider } from "../launch/resident-provider.ts";
import { createMemoryMishaps } from "../mishaps/memory-mishaps.ts";
import { createTerraformStack, type TerraformStack } from "../testing/terraform-stack.ts";
import { awsProvider } from "./aws-provider.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);
const configuration = join(import.meta.dirname, "../../../../infra/network/aws/v0.1.0");

async function openNetwork(): Promise<{ inventory: ReturnType<typeof createMemoryInventory>; stack: TerraformStack }> {
  const directory = await mkdtemp(join(tmpdir(), "aws-"));
  const inventory = createMemoryInventory();
  const resident = await startResidentProvider({
    providers: { "registry.terraform.io/hashicorp/aws": awsProvider },
    tenant: "a",
    inventory,
    mishaps: createMemoryMishaps(),
    directory,
  });
  const stack = await createTerraformStack(tool.found ? tool.path : "", { environment: resident.environment });
  onTestFinished(async () => {
    await resident.close();
    await stack.remove();
    await rm(directory, { recursive: true, force: true });
  });
  for (const name of (await readdir(configuration)).filter((file) => file.endsWith(".tf"))) {
    await writeFile(join(stack.directory, name), await readFile(join(configuration, name)));
  }
  return { inventory, stack };
}

function renderVariables(zones: readonly string[], nat = "none"): string {
  const ranges = zones.map((zone, index) => [
    zone,
    { public: `10.0.${index}.0/24`, private: `10.0.${index + 10}.0/24`, intra: `10.0.${index + 20}.0/24` },
  ]);
  const owner = { project: "default", entity: "uid-1" };
  return JSON.stringify({ name: "n", region: "eu-west-1", cidr: "10.0.0.0/16", zones: Object.fromEntries(ranges), nat, owner });
}

describe.skipIf(!tool.found)("the network configuration on the simulated AWS", () => {
  test("M063 M067 a network is built, grows by a zone without touching the others, is stable, drifts and goes", async () => {
    const { inventory, stack } = await openNetwork();
    const variables = (text: string): Promise<void> => writeFile(join(stack.directory, "terraform.tfvars.json"), text);
    const run = async (...args: string[]): Promise<void> => {
      const { code, output } = await stack.run(...args);
      if (code !== 0) throw new Error(output);
    };
    await variables(renderVariables(["eu-west-1a"], "single"));
    await run("init", "-input=false");
    await run("apply", "-auto-approve", "-json");
    const before = await inventory.list("a");
    await variables(renderVariables(["eu-west-1a", "eu-west-1b"], "single"));
    await run("apply", "-auto-approve", "-json");
    const after = await inventory.list("a");
    expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining(before.map(({ id }) => id)));
    expect(after.filter(({ type }) => type === "aws_subnet")).toHaveLength(6);
    expect((await stack.run("plan", "-detailed-exitcode")).code).toBe(0);
    expect(await listTagged(inventory, "a", { key: "cloudwright:entity", value: "uid-1" })).toHaveLength(after.length);
    const [vpc] = await inventory.list("a", "aws_vpc");
    await changeRecord(inventory, "a", { type: "aws_vpc", id: vpc?.id ?? "" }, { enable_dns_hostnames: false });
    expect((await stack.run("plan", "-detailed-exitcode")).code).toBe(2);
    await run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });

  test("M063 variables of the wrong form are refused before anything is made", async () => {
    const { inventory, stack } = await openNetwork();
    await stack.run("init", "-input=false");
    await writeFile(join(stack.directory, "terraform.tfvars.json"), renderVariables([]));
    expect((await stack.run("apply", "-auto-approve", "-json")).code).toBe(1);
    expect(await inventory.list("a")).toEqual([]);
  });
});
