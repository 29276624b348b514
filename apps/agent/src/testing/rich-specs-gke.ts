import type { TestParent } from "@cloudwright/deployer/testing";
import type { CloudRecord } from "@cloudwright/simulator";
import type { RichSpec } from "./rich-spec.ts";

const region = "europe-west1";
const common = { project: "simulated", name: "net", region };
const network = "projects/simulated/global/networks/net";
const subnet = `projects/simulated/regions/${region}/subnetworks/net`;

/** The parent network that tests pass to a cluster's tasks in Google Cloud. */
export const gkeParents: readonly TestParent[] = [
  {
    kind: "Network",
    uid: "network",
    name: "net",
    spec: { region, gcp: {} },
    outputs: {
      network_id: network,
      public_subnet_ids: [],
      private_subnet_ids: [subnet],
      intra_subnet_ids: [],
      zones: ["b", "c", "d"].map((letter) => `${region}-${letter}`),
      pod_range_name: "pods",
      service_range_name: "services",
    },
  },
];

/** Records of the network in `gkeParents`, for the simulated cloud. */
export const gkeNetwork: readonly CloudRecord[] = [
  { type: "google_compute_network", id: network, attributes: { ...common, id: network, auto_create_subnetworks: false } },
  {
    type: "google_compute_subnetwork",
    id: subnet,
    attributes: {
      ...common,
      id: subnet,
      network,
      ip_cidr_range: "10.0.0.0/20",
      secondary_ip_range: [
        { range_name: "pods", ip_cidr_range: "10.0.128.0/17" },
        { range_name: "services", ip_cidr_range: "10.0.64.0/20" },
      ],
    },
  },
];

// The spec does not create a KMS key, because Cloud KMS never deletes keys. It has no workload identities either, because workload
// identities are bindings in the policies of the user's service accounts.
const inVersion = (version: string): RichSpec => ({
  service: "cluster",
  cloud: "gcp",
  parents: [...gkeParents],
  given: gkeNetwork,
  spec: {
    version: "1.34",
    workers: 2,
    infra: { version },
    gcp: {
      releaseChannel: "stable",
      dnsEndpoint: true,
      logTypes: ["system", "apiserver"],
      monitoring: ["system", "pod"],
      managedPrometheus: true,
      maintenanceWindow: { days: ["SA", "SU"], start: "03:00", durationHours: 6 },
      securityGroup: "gke-security-groups@example.org",
    },
  },
  nodePools: [
    {
      uid: "scaled",
      name: "scaled",
      spec: { min: 0, desired: 2, max: 6, autoscaling: true, capacity: "spot", zones: ["b", "c"] },
    },
    {
      uid: "gpus",
      name: "gpus",
      spec: {
        min: 1,
        desired: 1,
        max: 1,
        instanceType: "g2-standard-4",
        zones: ["b"],
        taints: [{ key: "gpu", effect: "NoSchedule" }],
        gcp: {
          image: "ubuntu",
          accelerator: "nvidia-l4",
          acceleratorCount: 1,
          diskType: "pd-ssd",
          maxPods: 64,
          networkTags: ["gpu"],
        },
      },
    },
  ],
});

/** A rich spec for every released configuration of clusters in Google Cloud. */
export const gkeSpecs: Readonly<Record<string, RichSpec>> = {
  "kubernetes/gcp/v1.0.0": inVersion("v1.0.0"),
  "kubernetes/gcp/v1.1.0": inVersion("v1.1.0"),
};
