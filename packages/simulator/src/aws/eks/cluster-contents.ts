import type { ClusterContents } from "../../cloud/cluster-contents.ts";

/** The objects that EKS installs in a new cluster: DNS, the proxy, the network plug-in, and the storage class gp2 with its driver. */
export const eksContents: ClusterContents = {
  workloads: [
    { kind: "Deployment", name: "coredns", app: "kube-dns", image: "registry.simulated/coredns:v1.11.4", replicas: 2 },
    { kind: "DaemonSet", name: "kube-proxy", image: "registry.simulated/kube-proxy:{version}" },
    { kind: "DaemonSet", name: "aws-node", image: "registry.simulated/amazon-k8s-cni:v1.19.2" },
  ],
  storageClasses: [{ name: "gp2", provisioner: "ebs.csi.aws.com", parameters: { type: "gp2", fsType: "ext4" }, isDefault: true }],
  serviceRange: "10.100.0.0/16",
};
