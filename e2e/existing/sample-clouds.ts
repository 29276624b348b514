import { createAws, createAzure, createGcp, type CloudLibrary, type ClusterRequest } from "@cloudwright/clouds";

/** Environment variables and certificate authority of a simulated API, as `cloud sim credentials` prints them. */
export interface Issued {
  readonly environment: Readonly<Record<string, string>>;
  readonly caPem?: string;
}

/** A record to add to the inventory of a simulated account. */
interface SampleRecord {
  readonly type: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The cloud-specific values in the tests of existing clusters. */
export interface SampleCloud {
  readonly cloud: string;
  readonly region: string;
  /** A region that contains no clusters. */
  readonly emptyRegion: string;
  /** Flags of `cloud nodepool update` that scale a pool to three nodes. */
  readonly scaleFlags: readonly string[];
  /** Patterns that match the cloud's names for Kubernetes 1.33 and 1.34. */
  readonly versions: readonly [before: string, after: string];
  /** Paths of the attributes that an upgrade changes, keyed by resource type. */
  readonly upgraded: Readonly<Record<string, readonly string[]>>;
  /** Flags of `cloud account create`. */
  readonly accountFlags: readonly string[];
  /** Terraform resource types of a cluster and a pool. */
  readonly types: { readonly cluster: string; readonly pool: string };
  readonly nodeType: string;
  /** Minimum, desired and maximum size in the entity that takes over the sample's pool. */
  readonly size: readonly [min: number, desired: number, max: number];
  /** Records that must exist before a cluster can be created. */
  listRecords(issued: Issued): readonly SampleRecord[];
  /** Opens the client library of the cloud. */
  open(issued: Issued): CloudLibrary;
  /** Fields of a valid cluster request, except the name, version and node count. */
  readonly request: Omit<ClusterRequest, "name" | "version" | "nodeCount">;
}

const pool = { name: "workers", labels: { team: "shop" } };
const tags = { owner: "shop" };

const aws: SampleCloud = {
  cloud: "aws",
  emptyRegion: "us-east-1",
  scaleFlags: ["--desired", "3"],
  versions: [String.raw`1\.33`, String.raw`1\.34`],
  upgraded: { aws_eks_cluster: ["version"], aws_eks_node_group: ["version"] },
  region: "eu-west-1",
  accountFlags: [],
  types: { cluster: "aws_eks_cluster", pool: "aws_eks_node_group" },
  nodeType: "m6i.large",
  size: [1, 2, 4],
  listRecords: () => [
    { type: "aws_vpc", id: "vpc-1", attributes: { cidr_block: "10.0.0.0/16" } },
    ...["a", "b"].map((letter, index) => ({
      type: "aws_subnet",
      id: `subnet-${letter}`,
      attributes: { vpc_id: "vpc-1", availability_zone: `eu-west-1${letter}`, cidr_block: `10.0.${index}.0/24` },
    })),
  ],
  open: ({ environment: given }) =>
    createAws({
      region: "eu-west-1",
      accessKeyId: given["AWS_ACCESS_KEY_ID"] ?? "",
      secretAccessKey: given["AWS_SECRET_ACCESS_KEY"] ?? "",
      endpoints: { all: given["AWS_ENDPOINT_URL"] ?? "" },
    }),
  request: {
    region: "eu-west-1",
    nodeType: "m6i.large",
    subnets: ["subnet-a", "subnet-b"],
    tags,
    pool: { ...pool, min: 1, max: 4 },
  },
};

const gcp: SampleCloud = {
  cloud: "gcp",
  emptyRegion: "us-central1",
  scaleFlags: ["--desired", "3", "--max", "3"],
  versions: [String.raw`1\.33\.\d+-gke\.\d+`, String.raw`1\.34\.\d+-gke\.\d+`],
  upgraded: {
    google_container_cluster: ["master_version", "min_master_version", "node_version"],
    google_container_node_pool: ["version"],
  },
  region: "europe-west1",
  accountFlags: ["--gcp-project-id", "shop-project-1"],
  types: { cluster: "google_container_cluster", pool: "google_container_node_pool" },
  nodeType: "e2-standard-4",
  size: [2, 2, 2],
  listRecords: () => [],
  open: ({ environment: given }) =>
    createGcp({
      projectId: given["GOOGLE_PROJECT"] ?? "",
      region: "europe-west1",
      serviceAccountKey: given["GOOGLE_CREDENTIALS"] ?? "",
      endpoints: {
        compute: given["GOOGLE_COMPUTE_CUSTOM_ENDPOINT"] ?? "",
        container: given["GOOGLE_CONTAINER_CUSTOM_ENDPOINT"] ?? "",
        oauth2: given["GOOGLE_OAUTH2_CUSTOM_ENDPOINT"] ?? "",
        resourceManager: given["GOOGLE_RESOURCE_MANAGER_CUSTOM_ENDPOINT"] ?? "",
      },
    }),
  request: { zone: "europe-west1-b", nodeType: "e2-standard-4", tags, pool },
};

const group = "shop";

const azure: SampleCloud = {
  cloud: "azure",
  emptyRegion: "eastus",
  scaleFlags: ["--desired", "3", "--max", "3"],
  versions: [String.raw`1\.33\.\d+`, String.raw`1\.34\.\d+`],
  upgraded: {
    azurerm_kubernetes_cluster: ["current_kubernetes_version", "default_node_pool.0.orchestrator_version", "kubernetes_version"],
  },
  region: "westeurope",
  accountFlags: [],
  types: { cluster: "azurerm_kubernetes_cluster", pool: "azurerm_kubernetes_cluster_node_pool" },
  nodeType: "Standard_D4s_v5",
  size: [2, 2, 2],
  listRecords: ({ environment }) => {
    const id = `/subscriptions/${environment["AZURE_SUBSCRIPTION_ID"] ?? ""}/resourceGroups/${group}`;
    return [{ type: "azurerm_resource_group", id, attributes: { name: group, location: "westeurope" } }];
  },
  open: ({ environment: given, caPem = "" }) =>
    createAzure({
      subscriptionId: given["AZURE_SUBSCRIPTION_ID"] ?? "",
      resourceGroup: group,
      location: "westeurope",
      tenantId: given["AZURE_TENANT_ID"] ?? "",
      clientId: given["AZURE_CLIENT_ID"] ?? "",
      clientSecret: given["AZURE_CLIENT_SECRET"] ?? "",
      endpoints: {
        resourceManager: given["AZURE_RESOURCE_MANAGER_ENDPOINT"] ?? "",
        authority: given["AZURE_AUTHORITY_HOST"] ?? "",
      },
      caPem,
    }),
  request: { region: "westeurope", nodeType: "Standard_D4s_v5", tags, pool },
};

/** One sample for each cloud in which the platform supports existing clusters. */
export const sampleClouds: readonly SampleCloud[] = [aws, gcp, azure];

/** The sample for tests that need only one cloud. */
export const sampleCloud: SampleCloud = aws;
