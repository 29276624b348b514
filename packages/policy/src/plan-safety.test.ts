import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

// Changes to a resource type that is not in any of the policy's lists are applied without approval. Each type in the configurations must
// therefore be either in one of these lists or in `harmless`.
const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const { values } = parse(read("policies/plan-safety.yaml")) as { values: Record<string, string[] | Record<string, string[]>> };
const clouds = ["aws", "gcp", "azure"] as const;

/** Resource types whose changes need no approval, with the reason. */
const harmless: Readonly<Record<string, string>> = {
  aws_cloudwatch_event_rule: "only Karpenter reads the events, and it also notices interruptions itself",
  aws_cloudwatch_event_target: "only Karpenter reads the events, and it also notices interruptions itself",
  aws_cloudwatch_log_group: "a group is deleted only if the user turns the logs off",
  aws_eks_addon: "an add-on is replaced while its pods keep running",
  aws_eks_node_group: "pods are moved to other nodes, and the preview lists the nodes that will be replaced",
  aws_flow_log: "recording traffic does not affect it",
  aws_kms_alias: "an alias is only a name; nothing uses it to decrypt",
  aws_launch_template: "nodes keep the version that they were created with",
  aws_s3_bucket_lifecycle_configuration: "the rules are the user's own",
  aws_s3_bucket_object_lock_configuration: "existing objects keep their retention",
  aws_s3_bucket_ownership_controls: "objects keep their owner",
  aws_s3_bucket_policy: "the public access block makes a public policy ineffective",
  aws_s3_bucket_public_access_block: "aws-buckets-keep-their-block protects it",
  aws_s3_bucket_replication_configuration: "existing copies stay",
  aws_s3_bucket_server_side_encryption_configuration: "existing objects keep their key, and S3 remembers it",
  aws_s3_bucket_versioning: "existing versions stay",
  aws_security_group: "it belongs to the endpoints, which are protected, and cannot be deleted before them",
  aws_sqs_queue: "only Karpenter reads the queue, and its messages are obsolete after minutes",
  aws_vpc_security_group_ingress_rule: "it belongs to the endpoints, which are protected",
  azurerm_kubernetes_cluster_node_pool: "pods are moved to other nodes, and the preview lists the nodes that will be replaced",
  azurerm_storage_container_immutability_policy: "Azure refuses to shorten a locked retention",
  azurerm_storage_management_policy: "the rules are the user's own",
  google_container_node_pool: "pods are moved to other nodes, and the preview lists the nodes that will be replaced",
  google_kms_key_ring: "Google Cloud cannot delete key rings",
};

const listed = (name: string): string[] => {
  const list = values[name] ?? [];
  return Array.isArray(list) ? list : Object.keys(list);
};
const classified = new Set(Object.keys(values).flatMap(listed));
const used = new Set(
  globSync("infra/*/*/v*/*.tf", { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/^resource "([a-z0-9_]+)"/gm)].map(([, type = ""]) => type),
  ),
);

test("X035 M222 every resource type of the configurations is in a list of dangerous changes or has a stated reason why its changes are harmless", () => {
  expect(used.size).toBeGreaterThan(60);
  expect([...used].filter((type) => !classified.has(type) && !Object.hasOwn(harmless, type)).toSorted()).toEqual([]);
});

test("X035 no resource type is listed as both dangerous and harmless, and the configurations use every harmless type", () => {
  expect(Object.keys(harmless).filter((type) => classified.has(type) || !used.has(type))).toEqual([]);
});

test("X035 every attribute in the lists exists in the provider's schema, so that a misspelt one cannot hide a change", () => {
  const files = globSync("packages/simulator/src/*/{schema,more-types}.json", { cwd: root });
  expect(files.length).toBeGreaterThanOrEqual(clouds.length);
  const schemas = Object.assign({}, ...files.map((file) => (JSON.parse(read(file)) as Schema).resources)) as Schema["resources"];
  const attributes = Object.values(values).flatMap((list) => (Array.isArray(list) ? [] : Object.entries(list)));
  expect(attributes.length).toBeGreaterThan(15);
  const unknown = attributes.flatMap(([type, names]) =>
    used.has(type) ? names.filter((name) => schemas[type]?.of[name] === undefined).map((name) => `${type}.${name}`) : [],
  );
  expect(unknown).toEqual([]);
});

interface Schema {
  readonly resources: Readonly<Record<string, { readonly of: Readonly<Record<string, unknown>> }>>;
}
