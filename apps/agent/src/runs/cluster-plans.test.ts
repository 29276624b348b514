import { createWarmDirectories, type JsonObject } from "@cloudwright/deployer";
import { createTestTask, type StoredPlan } from "@cloudwright/deployer/testing";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addNetwork, inNetwork } from "../testing/network-above.ts";
import { openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

const arn = (name: string): string => `arn:aws:iam::123456789012:role/${name}`;
const perZone = (zone: string): { uid: string; name: string; spec: JsonObject } => {
  const sizes = { min: 0, desired: 1, max: 4 };
  const taints = [{ key: "spot", value: "true", effect: "NoSchedule" }];
  const spec = { ...sizes, instanceType: "m7g.large", capacity: "spot", zones: [zone], nodeLabels: { spot: "true" }, taints };
  return { uid: zone, name: `spot-${zone}`, spec };
};

/** Typical specs. Their plans are in `golden` and are reviewed like code. */
const requests: Readonly<Record<string, { spec: JsonObject; nodePools?: ReturnType<typeof perZone>[] }>> = {
  small: { spec: { version: "1.34" } },
  "private-given-roles": {
    spec: {
      version: "1.34",
      workers: 3,
      instanceType: "m6i.large",
      endpoint: { public: false },
      aws: {
        eksRoleArn: arn("eks"),
        nodeRoleArn: arn("nodes"),
        ebsCsiRoleArn: arn("ebs"),
        loadBalancerControllerRoleArn: arn("balancers"),
        kmsKeyArn: "arn:aws:kms:eu-west-1:123456789012:key/k",
        logTypes: ["api", "audit"],
        accessEntries: [{ principalArn: arn("ops"), policy: "cluster-admin" }],
      },
    },
  },
  "spot-per-zone": { spec: { version: "1.33", workers: 2 }, nodePools: [perZone("a"), perZone("b")] },
  karpenter: {
    spec: {
      version: "1.34",
      endpoint: { public: true, publicCidrs: ["192.0.2.0/24"] },
      aws: { karpenter: { enabled: true } },
      addOns: [{ name: "coredns", configuration: '{"replicaCount":3}' }, { name: "snapshot-controller" }],
    },
  },
};

// The attributes of each resource type that a reviewer needs to see. Attributes known only after the apply are omitted.
const shown: Readonly<Record<string, readonly string[]>> = {
  aws_cloudwatch_event_rule: ["event_pattern"],
  aws_cloudwatch_log_group: ["name", "retention_in_days"],
  aws_eks_access_entry: ["principal_arn", "type"],
  aws_eks_access_policy_association: ["access_scope", "policy_arn"],
  aws_eks_addon: ["addon_version", "configuration_values"],
  aws_eks_cluster: ["name", "version", "role_arn", "enabled_cluster_log_types", "vpc_config", "encryption_config"],
  aws_eks_node_group: [
    "ami_type",
    "capacity_type",
    "instance_types",
    "labels",
    "node_role_arn",
    "scaling_config",
    "subnet_ids",
    "taint",
  ],
  aws_eks_pod_identity_association: ["namespace", "role_arn", "service_account"],
  aws_iam_role: ["name"],
  aws_iam_role_policy_attachment: ["policy_arn"],
  aws_kms_key: ["enable_key_rotation"],
  aws_launch_template: ["block_device_mappings", "metadata_options"],
  aws_sqs_queue: ["name", "message_retention_seconds"],
};

describe.skipIf(!terraform.found)("golden plans of clusters in AWS", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  test.each(Object.entries(requests))(
    "M034 M120 M124 M125 M126 M127 the cluster %s is planned as reviewed",
    async (name, request) => {
      const account = { uid: "0199-account-of-plans", cloud: "aws" };
      const entityUid = "0199aaaa-0000-7000-8000-0123456789ab";
      await addNetwork(platform.inventory, account.uid);
      const deployer = platform.createDeployer({ warm: createWarmDirectories({ directory: join(platform.directory, "warm") }) });
      const task = createTestTask("cluster.plan", {
        uid: `plan-of-${name}`,
        entityUid,
        kind: "Cluster",
        name: "shop",
        account,
        parents: inNetwork,
        ...request,
        spawn: platform.spawn,
        directory: mkdtempSync(join(platform.directory, "task-")),
        openState: async () => platform.endpoint.access(entityUid),
      });
      await deployer.handle(task);
      const stored = platform.endpoint.plans.get(`plan-of-${name}`);
      const text = `${JSON.stringify(describePlan(stored), undefined, 2)}\n`;
      await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "golden", `cluster-${name}.txt`));
      if (name === "karpenter") await expectPolicies(stored);
    },
  );
});

/**
 * Compares the controllers' policies with a golden file, which contains the policies that the controllers' projects publish for the pinned
 * versions. Also checks IAM's size limit, which does not count whitespace.
 */
async function expectPolicies(stored: StoredPlan | undefined): Promise<void> {
  const changes = (stored?.changes ?? []) as unknown as readonly PlannedChange[];
  const policies = changes.filter(
    ({ resourceType, values }) => resourceType === "aws_iam_role_policy" && values.after["policy"] !== undefined,
  );
  const documents = policies.map(
    ({ address, values }) => [address, JSON.parse(values.after["policy"] as string) as JsonObject] as const,
  );
  expect(documents.filter(([, document]) => JSON.stringify(document).length > 10_240)).toEqual([]);
  const text = `${JSON.stringify(Object.fromEntries(documents), undefined, 2)}\n`;
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "golden", "policies-of-controllers.json"));
}

/** Renders the sorted resource addresses, each with its key attributes. */
function describePlan(stored: StoredPlan | undefined): JsonObject {
  const changes = (stored?.changes ?? []) as unknown as readonly PlannedChange[];
  return Object.fromEntries(
    changes
      .toSorted((a, b) => a.address.localeCompare(b.address))
      .map(({ address, resourceType, action, values: { after } }) => {
        const known = (shown[resourceType] ?? []).filter((key) => after[key] !== undefined && after[key] !== null);
        const attributes = Object.fromEntries(known.map((key) => [key, after[key] ?? null]));
        return [address, action === "create" ? attributes : { action }];
      }),
  );
}

interface PlannedChange {
  readonly address: string;
  readonly resourceType: string;
  readonly action: string;
  readonly values: { readonly after: JsonObject };
}
