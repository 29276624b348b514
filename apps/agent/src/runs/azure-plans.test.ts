import type { JsonObject } from "@cloudwright/deployer";
import { createTestTask } from "@cloudwright/deployer/testing";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderGoldenPlan } from "../testing/golden-plan.ts";
import { azureSpecs, inAzureNetwork } from "../testing/rich-specs-azure.ts";
import { openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

const region = "westeurope";
const specOf = (name: string): JsonObject => azureSpecs[name]?.spec ?? {};

/** Typical specs. Their plans are in `golden` and are reviewed like code. `vitest run <this file> --update` rewrites them. */
const specs: Readonly<Record<string, JsonObject>> = {
  "network-azure-usual": { region, nat: "single" },
  "network-azure-whole": specOf("network/azure/v1.1.0"),
  "storage-azure-bucket": specOf("storage/azure/v1.1.0 (bucket)"),
  "storage-azure-volume": specOf("storage/azure/v1.1.0 (volume)"),
};

const shown: Readonly<Record<string, readonly string[]>> = {
  azurerm_managed_disk: [
    "name",
    "zone",
    "disk_size_gb",
    "storage_account_type",
    "disk_iops_read_write",
    "disk_mbps_read_write",
    "disk_encryption_set_id",
    "network_access_policy",
    "public_network_access_enabled",
    "tags",
  ],
  azurerm_nat_gateway: ["name", "sku_name"],
  azurerm_network_security_rule: [
    "priority",
    "direction",
    "access",
    "protocol",
    "source_address_prefix",
    "destination_address_prefix",
    "destination_port_range",
    "destination_port_ranges",
  ],
  azurerm_private_dns_zone: ["name"],
  azurerm_public_ip: ["name", "sku", "zones", "allocation_method"],
  azurerm_resource_group: ["name", "location", "tags"],
  azurerm_role_assignment: ["scope", "role_definition_name", "description"],
  azurerm_route: ["address_prefix", "next_hop_type", "next_hop_in_ip_address"],
  azurerm_storage_account: [
    "name",
    "account_replication_type",
    "allow_nested_items_to_be_public",
    "https_traffic_only_enabled",
    "min_tls_version",
    "shared_access_key_enabled",
    "blob_properties",
    "sas_policy",
    "tags",
  ],
  azurerm_storage_container: ["name", "container_access_type"],
  azurerm_storage_container_immutability_policy: ["immutability_period_in_days", "locked"],
  azurerm_storage_management_policy: ["rule"],
  azurerm_subnet: ["name", "address_prefixes", "default_outbound_access_enabled", "delegation", "service_endpoint"],
  azurerm_virtual_network: ["name", "address_space", "tags"],
};

describe.skipIf(!terraform.found)("golden plans of networks and storages in Azure", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  const entityUid = "0199aaaa-0000-7000-8000-0123456789ab";
  const runTask = async (type: string, uid: string, options: JsonObject): Promise<JsonObject> => {
    const task = createTestTask(type, {
      uid,
      entityUid,
      account: { uid: "0199-account-of-azure-plans", cloud: "azure" },
      parents: [...inAzureNetwork],
      spawn: platform.spawn,
      directory: mkdtempSync(join(platform.directory, "task-")),
      openState: async () => platform.endpoint.access(entityUid),
      ...options,
    });
    const outcome = await platform.createDeployer().handle(task);
    return outcome.outcome === "done" ? (outcome.outputs ?? {}) : {};
  };
  const render = (uid: string): string => {
    const stored = platform.endpoint.plans.get(uid);
    if (stored === undefined) throw new Error("the plan was not stored");
    return renderGoldenPlan(stored, shown);
  };
  const fileOf = (name: string): string => join(import.meta.dirname, "golden", `${name}.json`);

  test.each(Object.entries(specs))("M063 M119 M136 %s is planned as reviewed", async (name, spec) => {
    const uid = `plan-of-${name}`;
    await runTask(`${name.split("-")[0] ?? ""}.plan`, uid, { spec });
    await expect(render(uid)).toMatchFileSnapshot(fileOf(name));
  });

  test.each([
    ["network", { region, nat: "single", azure: { natIps: 1 } }],
    ["storage", { bucket: { versioning: true } }],
  ] as const)("M138 the upgrade of a %s from v1.0.0 to v1.1.0 is planned as reviewed", async (service, spec) => {
    const at = (version: string): JsonObject => ({ ...spec, infra: { version } });
    await runTask(`${service}.plan`, `first-of-${service}`, { spec: at("v1.0.0") });
    const outputs = await runTask(`${service}.apply`, `apply-of-${service}`, { spec: at("v1.0.0"), plan: `first-of-${service}` });
    const uid = `upgrade-of-${service}`;
    await runTask(`${service}.plan`, uid, { spec: at("v1.1.0"), outputs });
    await expect(render(uid)).toMatchFileSnapshot(fileOf(`${service}-azure-upgrade`));
    await runTask(`${service}.destroy`, `destroy-of-${service}`, { spec: at("v1.0.0"), outputs });
    expect(await platform.inventory.list("0199-account-of-azure-plans")).toEqual([]);
  });
});
