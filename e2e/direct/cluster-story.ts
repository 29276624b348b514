import { objectOf, textOf } from "@cloudwright/platform";

/** A resource in the inventory of a simulated cloud. */
export interface Shown {
  readonly type: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The cloud-specific parts of the test in which a cluster is built without Terraform. */
export interface DirectClusterStory {
  readonly cloud: string;
  readonly region: string;
  /** Matches the row of the default pool's nodes in the preview of a new cluster with two workers. */
  readonly nodesRow: RegExp;
  /** Returns whether a resource can belong to the `dev` cluster. */
  owns(resource: Shown): boolean;
  /** Number of resources of each type that a new cluster has. A type that is not listed here must be absent. */
  readonly built: Readonly<Record<string, number>>;
  /** Number of pools in the cloud that make up one pool of the platform. */
  readonly perPool: number;
  /** Returns the minor Kubernetes version of each pool in the cloud. */
  listPoolVersions(resources: readonly Shown[]): string[];
  /** A change that is made outside the platform. */
  readonly drift: {
    readonly type: string;
    /** Returns an assignment for `cloud sim drift` that adds a label or tag named `stray`. */
    change(resource: Shown): string;
    /** Returns the labels or tags of a resource. */
    read(resource: Shown): unknown;
    /** The labels or tags that the platform itself sets. */
    readonly usual: unknown;
  };
}

const first = (value: unknown): Readonly<Record<string, unknown>> => objectOf(Array.isArray(value) ? value[0] : undefined);
const minorOf = (version: unknown): string => /^\d+\.\d+/.exec(textOf(version))?.[0] ?? "";

/** One story per cloud. To support another cloud, add an entry. */
export const clusterStories: readonly DirectClusterStory[] = [
  {
    cloud: "aws",
    region: "eu-west-1",
    nodesRow: /nodes +create +default +2 nodes/,
    owns: ({ type }) => /^aws_(eks|iam|cloudwatch)/.test(type),
    // EKS itself creates the access entry for the cluster's creator.
    built: {
      aws_iam_role: 2,
      aws_iam_role_policy_attachment: 4,
      aws_eks_cluster: 1,
      aws_eks_access_entry: 1,
      aws_eks_node_group: 1,
    },
    perPool: 1,
    listPoolVersions: (resources) =>
      resources.filter(({ type }) => type === "aws_eks_node_group").map(({ attributes }) => minorOf(attributes["version"])),
    drift: {
      type: "aws_eks_node_group",
      change: () => "labels.stray=yes",
      read: ({ attributes }) => attributes["labels"] ?? {},
      usual: {},
    },
  },
  {
    cloud: "gcp",
    region: "europe-west1",
    nodesRow: /nodes +create +default\/b +1 node/,
    owns: ({ type }) => /^google_(container|service_account|project_iam|kms)/.test(type),
    built: { google_container_cluster: 1, google_container_node_pool: 3 },
    perPool: 3,
    listPoolVersions: (resources) =>
      resources
        .filter(({ type }) => type === "google_container_node_pool")
        .map(({ attributes }) => minorOf(attributes["version"])),
    drift: {
      type: "google_container_node_pool",
      change({ attributes }) {
        const config = first(attributes["node_config"]);
        return `node_config=${JSON.stringify([{ ...config, labels: { ...objectOf(config["labels"]), stray: "yes" } }])}`;
      },
      read: ({ attributes }) => first(attributes["node_config"])["labels"],
      usual: { "cloudwright.dev/pool": "default" },
    },
  },
  {
    cloud: "azure",
    region: "westeurope",
    nodesRow: /nodes +create +default +2 nodes/,
    owns: ({ type, id }) =>
      /^azurerm_(kubernetes|user_assigned|role_assignment|key_vault)/.test(type) ||
      (type === "azurerm_resource_group" && /\/dev-[^/]+$/.test(id)),
    built: {
      azurerm_resource_group: 1,
      azurerm_user_assigned_identity: 1,
      azurerm_role_assignment: 1,
      azurerm_kubernetes_cluster: 1,
    },
    perPool: 1,
    // In AKS, the first pool is part of the cluster resource.
    listPoolVersions: (resources) =>
      resources.flatMap(({ type, attributes }) => {
        if (type === "azurerm_kubernetes_cluster_node_pool") return [minorOf(attributes["orchestrator_version"])];
        if (type !== "azurerm_kubernetes_cluster") return [];
        return [minorOf(first(attributes["default_node_pool"])["orchestrator_version"])];
      }),
    drift: {
      type: "azurerm_kubernetes_cluster",
      change: () => "tags.stray=yes",
      read: ({ attributes }) => Object.keys(objectOf(attributes["tags"])).filter((key) => !key.startsWith("cloudwright:")),
      usual: [],
    },
  },
];
