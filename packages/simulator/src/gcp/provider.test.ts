import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createMemoryInventory } from "../inventory/memory-inventory.ts";
import { openConfiguration, terraform } from "../testing/open-configuration.ts";
import { textOf } from "../values/read-value.ts";
import { callProvider } from "../testing/call-provider.ts";
import { gcpProvider } from "./provider.ts";

test("GCP resources are created, updated, replaced and deleted", async () => {
  const gcp = callProvider(gcpProvider, { config: { project: "acme", region: "europe-west1" } });
  const network = (await gcp.create("google_compute_network", { name: "main", auto_create_subnetworks: false })).state ?? {};
  expect(network).toMatchObject({
    id: "projects/acme/global/networks/main",
    self_link: "https://www.googleapis.com/compute/v1/projects/acme/global/networks/main",
    project: "acme",
  });
  const wanted = { name: "a", network: textOf(network["id"]), ip_cidr_range: "10.0.0.0/16" };
  const subnet = (await gcp.create("google_compute_subnetwork", wanted)).state ?? {};
  expect(subnet["id"]).toBe("projects/acme/regions/europe-west1/subnetworks/a");
  expect((await gcp.create("google_compute_subnetwork", wanted)).said).toEqual([expect.stringContaining("Error 409")]);
  const changed = { ...wanted, private_ip_google_access: true };
  const after = await gcp.update("google_compute_subnetwork", subnet, changed);
  expect(after.state).toMatchObject({ id: subnet["id"], private_ip_google_access: true });
  expect((await gcp.update("google_compute_subnetwork", subnet, { ...wanted, name: "b" })).replaced).toEqual(["name"]);
  expect((await gcp.data("google_compute_zones", {})).state?.["names"]).toContain("europe-west1-b");
  for (const [type, state] of [
    ["google_compute_subnetwork", after.state],
    ["google_compute_network", network],
  ] as const) {
    expect((await gcp.remove(type, state ?? {})).said).toEqual([]);
  }
  expect(await gcp.inventory.list("a")).toEqual([]);
});

test.skipIf(!terraform.found)(
  "real Terraform creates, re-plans, scales in place and destroys the resources of GKE and AKS clusters",
  async () => {
    const inventory = createMemoryInventory();
    const stack = await openConfiguration(join(import.meta.dirname, "testing"), inventory);
    onTestFinished(stack.close);
    await stack.run("apply", "-auto-approve", "-json");
    expect(await stack.plan()).toEqual({});
    await stack.give({ nodes: 3 });
    expect(await stack.plan()).toEqual({
      "google_container_node_pool.a": "update",
      "azurerm_kubernetes_cluster_node_pool.a": "update",
    });
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  },
);
