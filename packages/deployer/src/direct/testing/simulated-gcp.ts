import { objectOf, type Json } from "@cloudwright/platform";
import type { DirectCloud } from "./simulated-account.ts";

const region = "us-central1";
const [networkId, subnetId] = [
  "projects/simulated/global/networks/main",
  `projects/simulated/regions/${region}/subnetworks/main`,
] as const;
const common = { project: "simulated", name: "main" };
const ranges = [
  { range_name: "pods", ip_cidr_range: "10.4.0.0/14" },
  { range_name: "services", ip_cidr_range: "10.8.0.0/20" },
];
const first = { provisioner: "direct", version: "1.34", workers: 4 };

/** GKE clusters. The region has four zones, so that a cluster has four GKE node pools. */
export const directGcp: DirectCloud = {
  cloud: "gcp",
  title: "GKE clusters",
  region,
  describeNetwork: () => ({
    records: [
      { type: "google_compute_network", id: networkId, attributes: { ...common, id: networkId } },
      {
        type: "google_compute_subnetwork",
        id: subnetId,
        attributes: {
          ...common,
          id: subnetId,
          region,
          network: networkId,
          ip_cidr_range: "10.0.0.0/20",
          secondary_ip_range: ranges,
        },
      },
    ],
    network: {
      kind: "Network",
      uid: "n",
      name: "net",
      spec: { region },
      outputs: {
        network_id: networkId,
        private_subnet_ids: [subnetId],
        pod_range_name: "pods",
        service_range_name: "services",
        zones: ["a", "b", "c", "f"].map((letter) => `${region}-${letter}`),
      },
    },
  }),
  specs: {
    first,
    updated: { ...first, workers: 6, endpoint: { public: false } },
    replaced: { ...first, gcp: { nodeServiceAccount: "nodes-1@other-project.iam.gserviceaccount.com" } },
    invalid: { ...first, gcp: { createKmsKey: true } },
  },
  poolType: "google_container_node_pool",
  disturbPool(attributes) {
    const [config] = attributes["node_config"] as readonly Json[];
    return { ...attributes, node_config: [{ ...objectOf(config), disk_size_gb: 9 }] };
  },
};
