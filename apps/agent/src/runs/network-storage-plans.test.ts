import type { JsonObject } from "@cloudwright/deployer";
import { createTestTask } from "@cloudwright/deployer/testing";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderGoldenPlan } from "../testing/golden-plan.ts";
import { openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

/** Typical specs. Their plans are in `golden` and are reviewed like code. `vitest run <this file> --update` rewrites them. */
const specs: Readonly<Record<string, JsonObject>> = {
  "network-usual": { nat: "per-zone" },
  "network-whole": {
    cidr: "10.20.0.0/16",
    zones: ["a", "b"],
    subnets: {
      public: ["10.20.0.0/24", "10.20.1.0/24"],
      private: ["10.20.16.0/20", "10.20.32.0/20"],
      intra: ["10.20.2.0/24", "10.20.3.0/24"],
    },
    nat: "single",
    aws: {
      loadBalancerIps: 2,
      flowLogs: true,
      flowLogRetentionDays: 90,
      interfaceEndpoints: ["ecr.api", "ecr.dkr", "sts"],
      aclRules: [{ number: 10, subnets: "public", direction: "in", action: "deny", cidr: "192.0.2.0/24" }],
    },
  },
  "network-ipv6": { zones: ["a"], nat: "single", aws: { ipv6: true } },
  "storage-bucket": {
    bucket: {
      versioning: true,
      encryptionKey: "arn:aws:kms:eu-west-1:123456789012:key/k",
      expireAfterDays: 365,
      lifecycleRules: [{ id: "cold", prefix: "old/", transitions: [{ afterDays: 30, storageClass: "GLACIER" }] }],
      replication: { bucket: "arn:aws:s3:::copies", encryptionKey: "arn:aws:kms:eu-central-1:123456789012:key/c" },
    },
  },
  "storage-volume": { volume: { sizeGib: 100, zone: "b", iops: 6000, throughputMib: 250 } },
};

const shown: Readonly<Record<string, readonly string[]>> = {
  aws_cloudwatch_log_group: ["name", "retention_in_days"],
  aws_default_security_group: ["ingress", "egress"],
  aws_ebs_volume: ["availability_zone", "encrypted", "iops", "size", "throughput", "type"],
  aws_eip: ["domain"],
  aws_flow_log: ["traffic_type"],
  aws_iam_role: ["name", "assume_role_policy"],
  aws_iam_role_policy: ["name", "policy"],
  aws_s3_bucket: ["bucket", "force_destroy", "tags"],
  aws_s3_bucket_lifecycle_configuration: ["rule"],
  aws_s3_bucket_replication_configuration: ["rule"],
  aws_s3_bucket_ownership_controls: ["rule"],
  aws_s3_bucket_public_access_block: [
    "block_public_acls",
    "block_public_policy",
    "ignore_public_acls",
    "restrict_public_buckets",
  ],
  aws_s3_bucket_server_side_encryption_configuration: ["rule"],
  aws_s3_bucket_versioning: ["versioning_configuration"],
  aws_security_group: ["name"],
  aws_subnet: ["assign_ipv6_address_on_creation", "availability_zone", "cidr_block", "map_public_ip_on_launch", "tags"],
  aws_vpc: ["assign_generated_ipv6_cidr_block", "cidr_block", "enable_dns_hostnames", "enable_dns_support", "tags"],
  aws_vpc_endpoint: ["private_dns_enabled", "service_name", "vpc_endpoint_type"],
  aws_vpc_security_group_ingress_rule: ["cidr_ipv4", "from_port", "ip_protocol", "to_port"],
};

describe.skipIf(!terraform.found)("golden plans of networks and storages in AWS", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  test.each(Object.entries(specs))("M063 M110 M137 %s is planned as reviewed", async (name, spec) => {
    const entityUid = "0199aaaa-0000-7000-8000-0123456789ab";
    const network = { kind: "Network", uid: "n", name: "net", spec: { region: "eu-west-1" }, outputs: {} };
    const task = createTestTask(`${name.split("-")[0] ?? ""}.plan`, {
      uid: `plan-of-${name}`,
      entityUid,
      account: { uid: "0199-account-of-plans" },
      parents: [network],
      spec,
      spawn: platform.spawn,
      directory: mkdtempSync(join(platform.directory, "task-")),
      openState: async () => platform.endpoint.access(entityUid),
    });
    await platform.createDeployer().handle(task);
    const stored = platform.endpoint.plans.get(`plan-of-${name}`);
    if (stored === undefined) throw new Error("the plan was not stored");
    await expect(renderGoldenPlan(stored, shown)).toMatchFileSnapshot(join(import.meta.dirname, "golden", `${name}.json`));
  });
});
