import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { changeRecord } from "../inventory/inventory.ts";
import { createSimulatedCloud, requirement, tools, type SimulatedCloud } from "../testing/simulated-cloud.ts";
import type { Run, TerraformStack } from "../testing/terraform-stack.ts";

const network = (cidr = "10.0.0.0/16", label = "blue"): string => `
resource "sim_network" "main" {
  name   = "main"
  cidr   = "${cidr}"
  labels = { colour = "${label}" }
  rule {
    port    = 22
    sources = ["b", "a"]
  }
  rule { port = 80 }
}
`;

const everything = (release = "1.33", label = "blue"): string => `
provider "sim" {
  region = "south"
  token  = "canary-token"
}
${network("10.0.0.0/16", label)}
resource "sim_subnet" "each" {
  count      = 2
  network_id = sim_network.main.id
  cidr       = "10.0.\${count.index}.0/24"
  weight     = 0.1
  reserved   = [1, 9007199254740993, 0.30000000000000004, 1e25, -2.5]
}
resource "sim_cluster" "main" {
  name       = "main"
  release    = "${release}"
  subnet_ids = sim_subnet.each[*].id
  password   = "canary-password"
  join_token = "canary-write-only"
  logging    = { level = "info" }
  pool {
    name = "a"
    size = 3
    dynamic "taint" {
      for_each = toset([sim_network.main.id])
      content { key = taint.value }
    }
  }
  pool {
    name = "b"
    size = 1
  }
}
resource "sim_bucket" "main" {
  name       = "bucket"
  size_limit = 9007199254740993
  ratio      = 0.1
  document   = { list = [1, "x", true], deep = { number = 0.1 } }
}
data "sim_zones" "here" {}
data "sim_network" "main" { name = sim_network.main.name }
output "endpoint" { value = sim_cluster.main.endpoint }
output "zones" { value = data.sim_zones.here.names }
output "cidr" { value = data.sim_network.main.cidr }
`;

describe.each(Object.entries(tools))("%s", (name, tool) => {
  describe.skipIf(!tool.found)(`runs${tool.found ? "" : `: skipped, ${tool.reason}`}`, () => {
    describe.each(["resident", "legacy", "spawned"] as const)(`with a %s provider`, (mode) => {
      let cloud: SimulatedCloud;

      beforeEach(async () => {
        cloud = await createSimulatedCloud(tool.found ? tool.path : name, mode);
      });

      afterEach(async () => {
        await cloud.close();
      });

      async function applied(configuration: string): Promise<TerraformStack> {
        const stack = await cloud.openStack(configuration);
        await apply(stack);
        return stack;
      }

      test("all resources are validated, created and read back, and the next plan is empty", async () => {
        const stack = await cloud.openStack(everything());
        expectOk(await stack.run("validate", "-json"));
        expectOk(await stack.run("plan", "-input=false", "-out=saved"));
        expectOk(await stack.run("apply", "-input=false", "saved"));
        expect(JSON.parse((await stack.run("output", "-json")).output)).toMatchObject({
          endpoint: { value: expect.stringMatching(/^https:\/\/cluster-\w+\.sim\.invalid$/) },
          zones: { value: ["south-a", "south-b"] },
          cidr: { value: "10.0.0.0/16" },
        });
        expectOk(await stack.run("plan", "-input=false", "-detailed-exitcode"));
        expect((await cloud.inventory.list("a")).map(({ type }) => type)).toEqual([
          "sim_bucket",
          "sim_cluster",
          "sim_network",
          "sim_subnet",
          "sim_subnet",
        ]);
        expectOk(await stack.run("destroy", "-auto-approve", "-input=false"));
        expect(await cloud.inventory.list("a")).toEqual([]);
      });

      test("drift is detected per attribute and corrected", async () => {
        const stack = await applied(network());
        const [record] = await cloud.inventory.list("a", "sim_network");
        if (record === undefined) throw new Error("no network");
        await changeRecord(cloud.inventory, "a", record, { labels: { colour: "red" } });
        const plan = await stack.run("plan", "-input=false", "-json", "-out=saved");
        expect(actions(plan, "resource_drift")).toEqual({ "sim_network.main": "update" });
        const shown = JSON.parse((await stack.run("show", "-json", "saved")).output) as { resource_drift: { change: object }[] };
        expect(shown.resource_drift).toMatchObject([
          { change: { before: { labels: { colour: "blue" } }, after: { labels: { colour: "red" } } } },
        ]);
        expectOk(await stack.run("apply", "-input=false", "saved"));
        expect((await cloud.inventory.find("a", record))?.attributes["labels"]).toEqual({ colour: "blue" });
        expectOk(await stack.run("plan", "-input=false", "-detailed-exitcode"));
      });

      test("a resource deleted outside Terraform is created again", async () => {
        const stack = await applied(network());
        const [record] = await cloud.inventory.list("a", "sim_network");
        if (record === undefined) throw new Error("no network");
        await cloud.inventory.delete("a", record);
        const plan = await stack.run("plan", "-input=false", "-json", "-out=saved");
        expect(actions(plan, "resource_drift")).toEqual({ "sim_network.main": "delete" });
        expect(actions(plan, "planned_change")).toEqual({ "sim_network.main": "create" });
        expectOk(await stack.run("apply", "-input=false", "saved"));
        expect(await cloud.inventory.list("a", "sim_network")).toHaveLength(1);
      });

      test("changes happen in place where possible, and otherwise replace the resource", async () => {
        const stack = await applied(everything());
        const [before] = await cloud.inventory.list("a", "sim_network");
        await stack.write(requirement + everything("1.34", "green"));
        const update = await stack.run("plan", "-input=false", "-json", "-out=saved");
        expect(actions(update, "planned_change")).toMatchObject({ "sim_network.main": "update", "sim_cluster.main": "update" });
        expectOk(await stack.run("apply", "-input=false", "saved"));
        expect((await cloud.inventory.list("a", "sim_cluster"))[0]?.attributes).toMatchObject({
          release: "1.34",
          platform: "1.34-sim.1",
        });
        const [after] = await cloud.inventory.list("a", "sim_network");
        expect(after).toMatchObject({ id: before?.id, attributes: { labels: { colour: "green" } } });
        await stack.write(
          requirement + everything("1.34", "green").replaceAll("10.0.", "10.1.").replace('name = "a"', 'name = "c"'),
        );
        const replace = await stack.run("plan", "-input=false", "-json", "-out=saved");
        expect(actions(replace, "planned_change")).toMatchObject({
          "sim_network.main": "replace",
          "sim_subnet.each[0]": "replace",
          "sim_cluster.main": "replace",
        });
        expectOk(await stack.run("apply", "-input=false", "saved"));
        expect((await cloud.inventory.list("a", "sim_network"))[0]?.id).not.toBe(before?.id);
        expect(await cloud.inventory.list("a", "sim_network")).toHaveLength(1);
        expectOk(await stack.run("plan", "-input=false", "-detailed-exitcode"));
      });

      test("existing resources are imported by command and by block, and missing ones are rejected", async () => {
        await cloud.inventory.put("a", {
          type: "sim_bucket",
          id: "old",
          attributes: { id: "old", name: "old", versioned: false },
        });
        const bucket = 'resource "sim_bucket" "old" {\n  name = "old"\n}\n';
        const stack = await cloud.openStack(bucket);
        expect((await stack.run("import", "-input=false", "sim_bucket.old", "missing")).code).toBe(1);
        expectOk(await stack.run("import", "-input=false", "sim_bucket.old", "old"));
        expectOk(await stack.run("plan", "-input=false", "-detailed-exitcode"));
        const other = await cloud.openStack(`${bucket}import {\n  to = sim_bucket.old\n  id = "old"\n}\n`);
        expectOk(await other.run("apply", "-auto-approve", "-input=false"));
        expect(JSON.parse(await other.readState())).toMatchObject({
          resources: [{ instances: [{ attributes: { id: "old" } }] }],
        });
        expect(await cloud.inventory.list("a")).toHaveLength(1);
      });

      test("invalid configurations are rejected by the provider and by the cloud, at the attribute", async () => {
        const stack = await cloud.openStack(network("not-a-range"));
        expect((await stack.run("validate", "-json")).output).toContain('\\"not-a-range\\" is not a range of addresses');
        await stack.write(`${requirement}resource "sim_subnet" "lost" {\n  network_id = "nowhere"\n  cidr = "10.0.0.0/24"\n}\n`);
        const { code, events } = await stack.run("apply", "-auto-approve", "-input=false", "-json");
        expect(code).toBe(1);
        expect(events.find(({ type }) => type === "diagnostic")?.diagnostic).toMatchObject({
          summary: "There is no network nowhere",
          address: "sim_subnet.lost",
        });
        expect(await cloud.inventory.list("a")).toEqual([]);
      });

      test("write-only values reach neither state nor cloud, and sensitive values are not shown", async () => {
        const stack = await cloud.openStack(everything());
        const plan = await stack.run("plan", "-input=false", "-out=saved");
        const result = await stack.run("apply", "-input=false", "saved");
        expectOk(result);
        for (const secret of ["canary-password", "canary-write-only", "canary-token"]) {
          expect(plan.output + result.output).not.toContain(secret);
        }
        const kept = (await stack.readState()) + JSON.stringify(await cloud.inventory.list("a"));
        expect(kept).not.toContain("canary-write-only");
        expect(kept).not.toContain("canary-token");
      });
    });
  });
});

async function apply(stack: TerraformStack): Promise<void> {
  expectOk(await stack.run("apply", "-auto-approve", "-input=false"));
}

function expectOk({ code, output }: Run): void {
  expect({ code, output }).toMatchObject({ code: 0 });
}

function actions({ events }: Run, type: "planned_change" | "resource_drift"): Record<string, string> {
  const changes = events.flatMap((event) => (event.type === type && event.change !== undefined ? [event.change] : []));
  return Object.fromEntries(changes.map(({ resource, action }) => [resource.addr, action]));
}
