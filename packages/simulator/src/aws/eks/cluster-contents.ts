import type { ClusterContents } from "../../cloud/cluster-contents.ts";

/** What EKS installs in a new cluster: its network plug-in, and the storage class gp2 with its driver. */
export const eksContents: ClusterContents = {
  networkPlugin: { name: "aws-node", image: "registry.simulated/amazon-k8s-cni:v1.19.2" },
  storageClass: { name: "gp2", provisioner: "ebs.csi.aws.com", parameters: { type: "gp2", fsType: "ext4" } },
};
