import type { CloudFacts } from "../cloud-facts.ts";

export const gcpFacts: CloudFacts = {
  title: "Google Cloud",
  services: "GKE, VPC, Cloud Storage",
  isSupported: false,
  kubernetesService: "GKE",
  terms: { network: "VPC network", publicIp: "static IP address" },
  regions: {
    known: {
      "us-central1": "abcf",
      "us-east1": "bcd",
      "us-east4": "abc",
      "us-west1": "abc",
      "europe-west1": "bcd",
      "europe-west2": "abc",
      "europe-west3": "abc",
      "europe-west4": "abc",
      "europe-north1": "abc",
      "asia-east1": "abc",
      "asia-northeast1": "abc",
      "asia-southeast1": "abc",
      "australia-southeast1": "abc",
      "southamerica-east1": "abc",
    },
    default: "europe-west1",
    isName: (text) => /^[a-z]+(-[a-z]+)+\d+$/.test(text),
    defaultZones: ["b", "c", "d"],
    renderZone: (region, zone) => (/^[a-z]$/.test(zone) ? `${region}-${zone}` : zone),
  },
  machines: {
    defaultType: "e2-standard-2",
    suggestedTypes: ["e2-standard-2", "e2-standard-4", "n2-standard-4", "c3-standard-4"],
  },
  network: { reservedAddresses: 4 },
  terraform: {
    providers: ["google", "google-beta"],
    source: "registry.terraform.io/hashicorp/google",
    volume: "google_compute_disk",
    fileUploads: [[/^google_storage_bucket_object$/, "source"]],
  },
  agent: {
    // These variables also redirect the Terraform provider.
    endpointVariables: /^GOOGLE_[A-Z0-9_]+_CUSTOM_ENDPOINT$/,
    identityTokenVariable: "GOOGLE_IDENTITY_TOKEN_FILE",
    findLabel: () => undefined,
    usesIdentity: ({ agentCredentials, workloadIdentityProvider = "" }) =>
      agentCredentials === true || workloadIdentityProvider !== "",
  },
  examples: {
    accountFlags: "--gcp-project-id my-project-1 --gcp-service-account-key-file key.json",
    network: { type: "google_compute_network", id: "main" },
    subnet: { type: "google_compute_subnetwork", id: "main-a" },
    change: "auto_create_subnetworks=true",
    exhausted: { type: "google_compute_router_nat", message: "Quota exceeded" },
  },
  firstClusterFields: [],
};
