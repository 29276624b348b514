import type { ClusterContents } from "../../cloud/cluster-contents.ts";

/** What EKS installs in a new cluster: DNS, its proxy and network plug-in, and the storage class gp2 with its driver. */
export const eksContents: ClusterContents = {
  workloads: [
    { kind: "Deployment", name: "coredns", app: "kube-dns", image: "registry.simulated/coredns:v1.11.4", replicas: 2 },
    { kind: "DaemonSet", name: "kube-proxy", image: "registry.simulated/kube-proxy:{version}" },
    { kind: "DaemonSet", name: "aws-node", image: "registry.simulated/amazon-k8s-cni:v1.19.2" },
  ],
  storageClasses: [{ name: "gp2", provisioner: "ebs.csi.aws.com", parameters: { type: "gp2", fsType: "ext4" }, isDefault: true }],
  addresses: { api: "10.100.0.1", dns: "10.100.0.10" },
};
