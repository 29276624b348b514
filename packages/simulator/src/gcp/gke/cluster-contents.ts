import type { ClusterContents } from "../../cloud/cluster-contents.ts";

/**
 * The objects that GKE installs in a new cluster with Dataplane V2: DNS, the network and storage agents, metrics, three storage classes,
 * and the gateway classes if the Gateway API is enabled.
 */
export const gkeContents: ClusterContents = {
  namespaces: ["gke-managed-system", "gmp-public", "gmp-system"],
  workloads: [
    { kind: "Deployment", name: "kube-dns", image: "registry.simulated/k8s-dns-kube-dns:1.23.0-gke.9", replicas: 2 },
    { kind: "Deployment", name: "kube-dns-autoscaler", image: "registry.simulated/cluster-proportional-autoscaler:v1.8.11" },
    { kind: "Deployment", name: "event-exporter-gke", app: "event-exporter", image: "registry.simulated/event-exporter:v0.4.0" },
    { kind: "Deployment", name: "konnectivity-agent", image: "registry.simulated/konnectivity-agent:v0.31.1" },
    { kind: "Deployment", name: "l7-default-backend", app: "glbc", image: "registry.simulated/ingress-gce-404-server:v1.30.4" },
    {
      kind: "Deployment",
      name: "metrics-server-v1.33.0",
      app: "metrics-server",
      image: "registry.simulated/metrics-server:v0.7.2",
    },
    { kind: "DaemonSet", name: "anetd", app: "cilium", image: "registry.simulated/advanceddatapath/cilium:{version}" },
    { kind: "DaemonSet", name: "fluentbit-gke", image: "registry.simulated/fluent-bit:v1.8.1200" },
    { kind: "DaemonSet", name: "gke-metadata-server", image: "registry.simulated/gke-metadata-server:gke_metadata_server" },
    { kind: "DaemonSet", name: "gke-metrics-agent", image: "registry.simulated/gke-metrics-agent:1.12.2" },
    { kind: "DaemonSet", name: "node-local-dns", image: "registry.simulated/k8s-dns-node-cache:1.23.0" },
    {
      kind: "DaemonSet",
      name: "pdcsi-node",
      app: "gcp-compute-persistent-disk-csi-driver",
      image: "registry.simulated/gcp-pd-csi:v1.15.4",
    },
  ],
  storageClasses: [
    { name: "premium-rwo", provisioner: "pd.csi.storage.gke.io", parameters: { type: "pd-ssd" } },
    { name: "standard", provisioner: "kubernetes.io/gce-pd", parameters: { type: "pd-standard" }, bindingMode: "Immediate" },
    { name: "standard-rwo", provisioner: "pd.csi.storage.gke.io", parameters: { type: "pd-balanced" }, isDefault: true },
  ],
  gatewayClasses: [
    ["gke-l7-global-external-managed", "Global external Application Load Balancers"],
    ["gke-l7-regional-external-managed", "Regional external Application Load Balancers"],
    ["gke-l7-rilb", "Regional internal Application Load Balancers"],
    ["gke-l7-gxlb", "Classic Application Load Balancers"],
  ].map(([name = "", description = ""]) => ({ name, description, controllerName: "networking.gke.io/gateway" })),
  serviceRange: "34.118.224.0/20",
};
