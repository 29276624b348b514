import type { JsonObject } from "@cloudwright/deployer";
import { createTestTask } from "@cloudwright/deployer/testing";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderGoldenPlan } from "../testing/golden-plan.ts";
import { aksSpecs, azureNetworkRecords, inAzureNetwork } from "../testing/rich-specs-aks.ts";
import { openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

const whole = aksSpecs["kubernetes/azure/v1.1.0"];
const small = { version: "1.34" };

/** Typical specs. Their plans are in `golden` and are reviewed like code. `vitest run <this file> --update` rewrites them. */
const requests: Readonly<Record<string, object>> = {
  "cluster-azure-small": { spec: small },
  "cluster-azure-whole": { spec: whole?.spec, nodePools: whole?.nodePools },
};

const shown: Readonly<Record<string, readonly string[]>> = {
  azurerm_federated_identity_credential: ["name", "subject", "audience", "user_assigned_identity_id"],
  azurerm_key_vault: ["name", "purge_protection_enabled", "rbac_authorization_enabled", "soft_delete_retention_days"],
  azurerm_key_vault_key: ["name", "key_type", "key_size"],
  azurerm_kubernetes_cluster: [
    "name",
    "kubernetes_version",
    "sku_tier",
    "support_plan",
    "automatic_upgrade_channel",
    "node_os_upgrade_channel",
    "private_cluster_enabled",
    "local_account_disabled",
    "oidc_issuer_enabled",
    "workload_identity_enabled",
    "run_command_enabled",
    "image_cleaner_enabled",
    "api_server_access_profile",
    "azure_active_directory_role_based_access_control",
    "default_node_pool",
    "maintenance_window_auto_upgrade",
    "network_profile",
    "oms_agent",
    "web_app_routing",
    "workload_autoscaler_profile",
  ],
  azurerm_kubernetes_cluster_node_pool: [
    "name",
    "mode",
    "vm_size",
    "auto_scaling_enabled",
    "node_count",
    "min_count",
    "max_count",
    "priority",
    "spot_max_price",
    "os_sku",
    "os_disk_type",
    "os_disk_size_gb",
    "max_pods",
    "node_labels",
    "node_taints",
    "zones",
    "upgrade_settings",
  ],
  azurerm_resource_group: ["name", "tags"],
  azurerm_role_assignment: ["scope", "role_definition_name", "description"],
  azurerm_user_assigned_identity: ["name"],
};

describe.skipIf(!terraform.found)("golden plans of clusters in Azure", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  const account = { uid: "0199-account-of-plans", cloud: "azure" };
  const entityUid = "0199aaaa-0000-7000-8000-0123456789ab";
  const runTask = async (type: string, uid: string, options: object): Promise<JsonObject> => {
    for (const record of azureNetworkRecords) await platform.inventory.put(account.uid, record);
    const task = createTestTask(type, {
      uid,
      entityUid,
      kind: "Cluster",
      name: "shop",
      account,
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

  test.each(Object.entries(requests))("M136 M120 M124 M126 M127 %s is planned as reviewed", async (name, request) => {
    await runTask("cluster.plan", `plan-of-${name}`, request);
    await expect(render(`plan-of-${name}`)).toMatchFileSnapshot(fileOf(name));
  });

  test("M138 the upgrade of a cluster from v1.0.0 to v1.1.0 is planned as reviewed, and its deletion leaves nothing", async () => {
    const at = (version: string): JsonObject => ({ ...small, infra: { version } });
    const nodePools = [{ uid: "web", name: "web", spec: { min: 1, desired: 1, max: 1 } }];
    await runTask("cluster.plan", "first", { spec: at("v1.0.0"), nodePools });
    const outputs = await runTask("cluster.apply", "apply", { spec: at("v1.0.0"), nodePools, plan: "first" });
    await runTask("cluster.plan", "upgrade", { spec: at("v1.1.0"), nodePools, outputs });
    await expect(render("upgrade")).toMatchFileSnapshot(fileOf("cluster-azure-upgrade"));
    await runTask("cluster.destroy", "destroy", { spec: at("v1.0.0"), nodePools, outputs });
    const left = (await platform.inventory.list(account.uid)).map(({ id }) => id);
    expect(left.toSorted()).toEqual(azureNetworkRecords.map(({ id }) => id).toSorted());
  });
});
