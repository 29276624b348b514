import type { CloudFacts } from "../cloud-facts.ts";
import { findUnlocking } from "../retention.ts";
import { readTags } from "./descriptions.ts";
import { gcpInstances } from "./instances.ts";
import { maxLabelLength, toLabelKey, toLabelValue } from "./labels.ts";
import { listSimilarMachineTypes } from "./machine-sizes.ts";
import { defaultMachineType, isMachineType } from "./machine-types.ts";
import { checkGcpPool } from "./node-pools.ts";
import { gcpQuotas } from "./quotas.ts";
import { checkGcpInstance, checkGcpSecurityGroup } from "./security-groups.ts";
import { checkGcpStorage } from "./storages.ts";
import { checkGcpVolume } from "./volumes.ts";

/** Zone suffixes of each region. */
const known: Readonly<Record<string, string>> = {
  "us-central1": "abcf",
  "us-east1": "bcd",
  "us-east4": "abc",
  "us-east5": "abc",
  "us-south1": "abc",
  "us-west1": "abc",
  "us-west2": "abc",
  "us-west3": "abc",
  "us-west4": "abc",
  "northamerica-northeast1": "abc",
  "northamerica-northeast2": "abc",
  "northamerica-south1": "abc",
  "southamerica-east1": "abc",
  "southamerica-west1": "abc",
  "europe-west1": "bcd",
  "europe-west2": "abc",
  "europe-west3": "abc",
  "europe-west4": "abc",
  "europe-west6": "abc",
  "europe-west8": "abc",
  "europe-west9": "abc",
  "europe-west10": "abc",
  "europe-west12": "abc",
  "europe-southwest1": "abc",
  "europe-central2": "abc",
  "europe-north1": "abc",
  "europe-north2": "abc",
  "asia-east1": "abc",
  "asia-east2": "abc",
  "asia-northeast1": "abc",
  "asia-northeast2": "abc",
  "asia-northeast3": "abc",
  "asia-south1": "abc",
  "asia-south2": "abc",
  "asia-southeast1": "abc",
  "asia-southeast2": "abc",
  "australia-southeast1": "abc",
  "australia-southeast2": "abc",
  "me-central1": "abc",
  "me-central2": "abc",
  "me-west1": "abc",
  "africa-south1": "abc",
};

export const gcpFacts: CloudFacts = {
  title: "Google Cloud",
  services: "GKE, VPC, Cloud Storage, Persistent Disk",
  isSupported: true,
  kubernetesService: "GKE",
  clusterId: /^projects\/[^/\s]+\/locations\/[a-z0-9-]+\/clusters\/[a-z][a-z0-9-]{0,39}$/,
  provisioners: ["terraform", "direct"],
  hasInstances: true,
  hasSecurityGroups: true,
  hasVolumes: true,
  instances: gcpInstances,
  checks: {
    Instance: checkGcpInstance,
    NodePool: checkGcpPool,
    SecurityGroup: checkGcpSecurityGroup,
    Storage: checkGcpStorage,
    Volume: checkGcpVolume,
  },
  lastingSettings: [{ kind: "Storage", path: ["bucket", "objectLock"], findLoss: findUnlocking, isAppliedFirst: true }],
  terms: { network: "VPC network", publicIp: "static IP address" },
  regions: {
    known,
    default: "europe-west1",
    isName: (text) => /^[a-z]+(-[a-z]+)+\d+$/.test(text),
    defaultZones: ["b", "c", "d"],
    // Zone suffixes differ between regions.
    findDefaultZones: (region) => (Object.hasOwn(known, region) ? (known[region] ?? "").slice(0, 3).split("") : ["a", "b", "c"]),
    renderZone: (region, zone) => (/^[a-z]$/.test(zone) ? `${region}-${zone}` : zone),
    zoneFields: [["gcp", "zone"]],
  },
  machines: {
    defaultType: defaultMachineType,
    suggestedTypes: [
      "e2-standard-2",
      "e2-standard-4",
      "n2-standard-4",
      "n2d-standard-4",
      "c3-standard-4",
      "t2a-standard-4",
      "n2-highmem-4",
    ],
    isKnown: isMachineType,
    listSimilar: listSimilarMachineTypes,
  },
  kubernetesVersions: ["1.32", "1.33", "1.34", "1.35"],
  kubernetesPatches: { "1.32": 10, "1.33": 6, "1.34": 3, "1.35": 1 },
  tags: {
    // Google Cloud allows 64 labels per resource, including those that the configurations in `infra/`, Terraform and GKE add.
    most: 50,
    // GKE and the platform use these labels to find resources that they delete.
    isReserved: (key) =>
      /^([a-z0-9.-]*\.)?(kubernetes\.io|k8s\.io|gke\.io|cloud\.google\.com|cloudwright\.dev)\//.test(key) ||
      /^goog[-_]/.test(key),
    render: ([key, value]) => [toLabelKey(key), toLabelValue(value)],
    attributes: ["description", "owned", "resource_labels"],
    read: readAttributes,
    maxLength: maxLabelLength,
  },
  network: {
    reservedAddresses: 4,
    reservedRanges: [
      "0.0.0.0/8",
      "127.0.0.0/8",
      "169.254.0.0/16",
      "199.36.153.4/30",
      "199.36.153.8/30",
      "224.0.0.0/4",
      "255.255.255.255/32",
    ],
    rangeFields: [
      ["gcp", "podCidr"],
      ["gcp", "serviceCidr"],
    ],
  },
  terraform: {
    providers: ["google", "google-beta"],
    source: "registry.terraform.io/hashicorp/google",
    cluster: { cluster: "google_container_cluster", machines: "google_container_node_pool" },
    volume: "google_compute_disk",
    fileUploads: [[/^google_storage_bucket_object$/, "source"]],
    placeArguments: ["project", "project_id", "region"],
    identityArguments: /^(service_account(_id|_email)?|node_account|roles?|members?)$/,
  },
  agent: {
    // These variables also redirect the Terraform provider.
    endpointVariables: /^GOOGLE_[A-Z0-9_]+_CUSTOM_ENDPOINT$/,
    identityTokenVariable: "GOOGLE_IDENTITY_TOKEN_FILE",
    findLabel: () => undefined,
    usesIdentity: ({ agentCredentials, workloadIdentityProvider = "" }) =>
      agentCredentials === true || workloadIdentityProvider !== "",
  },
  kubeconfig: {
    command: "gke-gcloud-auth-plugin",
    renderArgs: () => [],
    // The plug-in does not need arguments, because its tokens are valid for all clusters. The dash stands for any location.
    findCluster: (args, context) => (args.length === 0 && context !== "" ? { cluster: context, region: "-" } : undefined),
    needsClusterInfo: true,
    installHint:
      "Install it with `gcloud components install gke-gcloud-auth-plugin`, or use `cloud k8s kubeconfig --exec cloud`.",
  },
  commands: {
    showQuotas: (region) => `gcloud compute regions describe ${region}`,
    raiseQuota: "gcloud beta quotas preferences create",
    listMachineTypes: (region) => `gcloud compute machine-types list --filter "zone~^${region}-"`,
  },
  quotas: gcpQuotas,
  examples: {
    cluster: "projects/shop/locations/europe-west1/clusters/shop",
    accountFlags: "--gcp-project-id my-project-1 --gcp-service-account-key-file key.json",
    network: { type: "google_compute_network", id: "projects/my-project/global/networks/main" },
    subnet: { type: "google_compute_subnetwork", id: "projects/my-project/regions/europe-west1/subnetworks/main" },
    change: "routing_mode=GLOBAL",
    exhausted: { type: "google_compute_network", message: "Error 403: QUOTA_EXCEEDED - Quota 'NETWORKS' exceeded" },
  },
  firstClusterFields: [],
};

/** Reads the tags of a Terraform resource. Clusters keep them in a different attribute than other resources. */
function readAttributes(attributes: Readonly<Record<string, unknown>>): Record<string, string> {
  const textsOf = (value: unknown): Record<string, string> => {
    const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  };
  const { labels, resource_labels: more, effective_labels: all, description } = attributes;
  return readTags({
    // After an import, only `effective_labels` is known.
    labels: { ...textsOf(all), ...textsOf(more), ...textsOf(labels) },
    description: typeof description === "string" ? description : "",
  });
}
