import type { JsonObject } from "@cloudwright/deployer";
import { createTestTask } from "@cloudwright/deployer/testing";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderGoldenPlan } from "../testing/golden-plan.ts";
import { gcpSpecs, inGcpNetwork } from "../testing/rich-specs-gcp.ts";
import { openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

const region = "europe-west1";
const specOf = (name: string): JsonObject => gcpSpecs[name]?.spec ?? {};

/** Typical specs. Their plans are in `golden` and are reviewed like code. `vitest run <this file> --update` rewrites them. */
const specs: Readonly<Record<string, JsonObject>> = {
  "network-gcp-usual": { region, nat: "single" },
  "network-gcp-whole": specOf("network/gcp/v1.1.0"),
  "storage-gcp-bucket": specOf("storage/gcp/v1.1.0 (bucket)"),
  "storage-gcp-volume": specOf("storage/gcp/v1.1.0 (volume)"),
};

const shown: Readonly<Record<string, readonly string[]>> = {
  google_compute_address: ["name", "labels"],
  google_compute_disk: [
    "name",
    "zone",
    "size",
    "type",
    "provisioned_iops",
    "provisioned_throughput",
    "disk_encryption_key",
    "labels",
    "create_snapshot_before_destroy",
  ],
  google_compute_firewall: ["name", "description", "direction", "priority", "source_ranges", "allow", "deny", "log_config"],
  google_compute_network: ["name", "description", "auto_create_subnetworks", "routing_mode", "mtu"],
  google_compute_router: ["name", "description"],
  google_compute_router_nat: [
    "nat_ip_allocate_option",
    "source_subnetwork_ip_ranges_to_nat",
    "enable_dynamic_port_allocation",
    "min_ports_per_vm",
    "log_config",
  ],
  google_compute_subnetwork: [
    "name",
    "description",
    "ip_cidr_range",
    "secondary_ip_range",
    "private_ip_google_access",
    "log_config",
  ],
  google_storage_bucket: [
    "name",
    "location",
    "force_destroy",
    "labels",
    "uniform_bucket_level_access",
    "public_access_prevention",
    "versioning",
    "encryption",
    "retention_policy",
    "lifecycle_rule",
  ],
  google_storage_bucket_iam_member: ["role", "member"],
};

describe.skipIf(!terraform.found)("golden plans of networks and storages in Google Cloud", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  const entityUid = "0199aaaa-0000-7000-8000-0123456789ab";
  const runTask = async (type: string, uid: string, options: JsonObject): Promise<JsonObject> => {
    const task = createTestTask(type, {
      uid,
      entityUid,
      account: { uid: "0199-account-of-plans", cloud: "gcp" },
      parents: [...inGcpNetwork],
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
    ["network", { region, nat: "single", gcp: { natIps: 1 } }],
    ["storage", { bucket: { versioning: true } }],
  ] as const)("M138 the upgrade of a %s from v1.0.0 to v1.1.0 is planned as reviewed", async (service, spec) => {
    const at = (version: string): JsonObject => ({ ...spec, infra: { version } });
    await runTask(`${service}.plan`, `first-of-${service}`, { spec: at("v1.0.0") });
    const outputs = await runTask(`${service}.apply`, `apply-of-${service}`, { spec: at("v1.0.0"), plan: `first-of-${service}` });
    const uid = `upgrade-of-${service}`;
    await runTask(`${service}.plan`, uid, { spec: at("v1.1.0"), outputs });
    await expect(render(uid)).toMatchFileSnapshot(fileOf(`${service}-gcp-upgrade`));
    await runTask(`${service}.destroy`, `destroy-of-${service}`, { spec: at("v1.0.0"), outputs });
    expect(await platform.inventory.list("0199-account-of-plans")).toEqual([]);
  });
});
