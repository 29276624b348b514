import type { ClusterContents } from "../../cloud/cluster-contents.ts";

const disk = "disk.csi.azure.com";
const file = "file.csi.azure.com";
const image = (name: string): string => `registry.simulated/${name}`;

/**
 * The objects that AKS installs in a new cluster with the Cilium data plane: DNS, the network plug-in (which replaces kube-proxy), the
 * storage drivers with their classes, and the metrics server.
 */
export const aksContents: ClusterContents = {
  workloads: [
    { kind: "Deployment", name: "coredns", app: "kube-dns", image: image("coredns:v1.12.1"), replicas: 2 },
    { kind: "Deployment", name: "coredns-autoscaler", image: image("cluster-proportional-autoscaler:v1.9.0") },
    { kind: "Deployment", name: "konnectivity-agent", image: image("apiserver-network-proxy-agent:v0.31.4"), replicas: 2 },
    { kind: "Deployment", name: "metrics-server", image: image("metrics-server:v0.8.0"), replicas: 2 },
    { kind: "DaemonSet", name: "azure-cns", image: image("azure-cns:v1.7.4") },
    { kind: "DaemonSet", name: "cilium", image: image("cilium:v1.17.9") },
    { kind: "DaemonSet", name: "cloud-node-manager", image: image("azure-cloud-node-manager:{version}") },
    { kind: "DaemonSet", name: "csi-azuredisk-node", image: image("azuredisk-csi:v1.33.4") },
    { kind: "DaemonSet", name: "csi-azurefile-node", image: image("azurefile-csi:v1.34.1") },
  ],
  storageClasses: [
    { name: "default", provisioner: disk, parameters: { skuname: "StandardSSD_LRS" }, isDefault: true },
    { name: "managed", provisioner: disk, parameters: { skuname: "StandardSSD_LRS" } },
    { name: "managed-csi", provisioner: disk, parameters: { skuname: "StandardSSD_LRS" } },
    { name: "managed-csi-premium", provisioner: disk, parameters: { skuname: "Premium_LRS" } },
    { name: "managed-premium", provisioner: disk, parameters: { skuname: "Premium_LRS" } },
    { name: "azurefile", provisioner: file, parameters: { skuName: "Standard_LRS" }, bindingMode: "Immediate" },
    { name: "azurefile-csi", provisioner: file, parameters: { skuName: "Standard_LRS" }, bindingMode: "Immediate" },
    { name: "azurefile-csi-premium", provisioner: file, parameters: { skuName: "Premium_LRS" }, bindingMode: "Immediate" },
    { name: "azurefile-premium", provisioner: file, parameters: { skuName: "Premium_LRS" }, bindingMode: "Immediate" },
  ],
  serviceRange: "10.0.0.0/16",
};
