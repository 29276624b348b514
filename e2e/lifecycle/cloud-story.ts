import type { JsonObject } from "@cloudwright/contract";

/** A resource in the inventory of a simulated cloud. */
export interface Shown {
  readonly type: string;
  readonly id: string;
  readonly attributes: JsonObject;
}

/** The parts of the lifecycle story that differ between clouds. */
export interface CloudStory {
  readonly cloud: string;
  /** Flags of `cloud network create` that select the region, the zones and a single NAT gateway. */
  readonly networkFlags: string;
  readonly natType: string;
  readonly clusterType: string;
  /** Rows that the upgrade preview is expected to contain. */
  readonly upgradeRows: readonly (readonly [part: string, action: string, name: RegExp, details: RegExp])[];
  /** Returns the Kubernetes version of a cluster resource. */
  readClusterVersion(cluster: Shown): unknown;
  /** Types of the resources that define node pools. */
  readonly poolTypes: readonly string[];
  /** Returns the number of nodes and their Kubernetes version, read from a resource of one of the `poolTypes`. */
  readPool(pool: Shown): { readonly nodes: number; readonly version: unknown };
  readonly bucket: {
    readonly type: string;
    /** Type of the resource that contains the versioning setting. */
    readonly versioningType: string;
    /** Returns an assignment for `cloud sim drift` that turns versioning off. */
    turnOff(resource: Shown): string;
    /** The attribute that the drift report names after versioning has been turned off. */
    readonly attribute: string;
    isVersioned(resource: Shown): boolean;
    /** Type of the resource that contains the lifecycle rules. */
    readonly ruleType: string;
    /** Matches a rule that deletes objects after 30 days. */
    readonly ruleDays: RegExp;
  };
  readonly volumeType: string;
  /** Types of the cloud resources that are created for a Service and a persistent volume claim. */
  readonly leftoverTypes: readonly string[];
}

const first = (value: unknown): JsonObject => (Array.isArray(value) ? ((value[0] ?? {}) as JsonObject) : {});

export const stories: readonly CloudStory[] = [
  {
    cloud: "aws",
    networkFlags: "--region eu-west-1 --zones a,b --nat single",
    natType: "aws_nat_gateway",
    clusterType: "aws_eks_cluster",
    upgradeRows: [
      ["infrastructure", "update", /^aws_eks_cluster\.this$/, /^version 1\.33 -> 1\.34$/],
      ["nodes", "update", /^default$/, /^2 nodes replaced/],
      ["nodes", "update", /^extra$/, /^2 nodes replaced/],
      ["add-ons", "update", /^kube-proxy$/, /^v1\.33\..* -> v1\.34\./],
    ],
    readClusterVersion: ({ attributes }) => attributes["version"],
    poolTypes: ["aws_eks_node_group"],
    readPool: ({ attributes }) => ({
      nodes: Number(first(attributes["scaling_config"])["desired_size"]),
      version: attributes["version"],
    }),
    bucket: {
      type: "aws_s3_bucket",
      versioningType: "aws_s3_bucket_versioning",
      turnOff: () => 'versioning_configuration=[{"status":"Suspended","mfa_delete":""}]',
      attribute: "versioning_configuration",
      isVersioned: ({ attributes }) => first(attributes["versioning_configuration"])["status"] === "Enabled",
      ruleType: "aws_s3_bucket_lifecycle_configuration",
      ruleDays: /"days":30/,
    },
    volumeType: "aws_ebs_volume",
    leftoverTypes: ["aws_lb", "aws_ebs_volume"],
  },
  {
    cloud: "gcp",
    networkFlags: "--region europe-west4 --zones a,b --nat single",
    natType: "google_compute_router_nat",
    clusterType: "google_container_cluster",
    upgradeRows: [
      ["infrastructure", "update", /^google_container_cluster\.this$/, /1\.33.* -> .*1\.34/],
      ["nodes", "update", /^default\/a$/, /^1 node replaced/],
      ["nodes", "update", /^default\/b$/, /^1 node replaced/],
      ["nodes", "update", /^extra\/a$/, /^1 node replaced/],
      ["nodes", "update", /^extra\/b$/, /^1 node replaced/],
    ],
    readClusterVersion: ({ attributes }) => attributes["master_version"],
    poolTypes: ["google_container_node_pool"],
    readPool: ({ attributes }) => ({ nodes: Number(attributes["node_count"]), version: attributes["version"] }),
    bucket: {
      type: "google_storage_bucket",
      versioningType: "google_storage_bucket",
      turnOff: () => 'versioning=[{"enabled":false}]',
      attribute: "versioning",
      isVersioned: ({ attributes }) => first(attributes["versioning"])["enabled"] === true,
      ruleType: "google_storage_bucket",
      ruleDays: /"age":30/,
    },
    volumeType: "google_compute_disk",
    leftoverTypes: ["google_compute_forwarding_rule", "google_compute_disk"],
  },
  {
    cloud: "azure",
    networkFlags: "--region westeurope --zones 1,2 --nat single",
    natType: "azurerm_nat_gateway",
    clusterType: "azurerm_kubernetes_cluster",
    upgradeRows: [
      ["infrastructure", "update", /^azurerm_kubernetes_cluster\.this$/, /kubernetes_version 1\.33.* -> 1\.34/],
      ["nodes", "update", /^default$/, /^2 nodes replaced/],
      ["nodes", "update", /^extra$/, /^2 nodes replaced/],
    ],
    readClusterVersion: ({ attributes }) => attributes["kubernetes_version"],
    // In AKS, the first pool is part of the cluster resource.
    poolTypes: ["azurerm_kubernetes_cluster", "azurerm_kubernetes_cluster_node_pool"],
    readPool({ attributes }) {
      const pool = attributes["default_node_pool"] === undefined ? attributes : first(attributes["default_node_pool"]);
      return { nodes: Number(pool["node_count"]), version: pool["orchestrator_version"] };
    },
    bucket: {
      type: "azurerm_storage_account",
      versioningType: "azurerm_storage_account",
      turnOff: ({ attributes }) =>
        `blob_properties=${JSON.stringify([{ ...first(attributes["blob_properties"]), versioning_enabled: false }])}`,
      attribute: "blob_properties",
      isVersioned: ({ attributes }) => first(attributes["blob_properties"])["versioning_enabled"] === true,
      ruleType: "azurerm_storage_management_policy",
      ruleDays: /greater_than":30/,
    },
    volumeType: "azurerm_managed_disk",
    leftoverTypes: ["azurerm_lb", "azurerm_managed_disk"],
  },
];
