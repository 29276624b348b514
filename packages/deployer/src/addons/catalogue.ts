import type { AddOn } from "./add-on.ts";
import { karpenter } from "./karpenter.ts";
import { loadBalancerController } from "./load-balancer-controller.ts";
import { metricsServer } from "./metrics-server.ts";
import { storageClass } from "./storage-class.ts";

const inSystem = (kind: string, name: string) => ({ apiVersion: "apps/v1", kind, namespace: "kube-system", name });

function managedByEks(
  name: string,
  managed: string,
  order: number,
  wanted: AddOn["wanted"],
  kind: string,
  workload: string,
): AddOn {
  return {
    name,
    order,
    version: "",
    wanted,
    clouds: ["aws"],
    install: { by: "cloud", managed, workload: inSystem(kind, workload) },
  };
}

/** The add-ons that the product knows, in the order of their installation. */
export const ownCatalogue: readonly AddOn[] = [
  storageClass,
  loadBalancerController,
  karpenter,
  managedByEks("pod-identities", "eks-pod-identity-agent", 40, "always", "DaemonSet", "eks-pod-identity-agent"),
  metricsServer,
  managedByEks("vpc-cni", "vpc-cni", 60, "asked", "DaemonSet", "aws-node"),
  managedByEks("kube-proxy", "kube-proxy", 61, "asked", "DaemonSet", "kube-proxy"),
  managedByEks("coredns", "coredns", 62, "asked", "Deployment", "coredns"),
  managedByEks("aws-ebs-csi-driver", "aws-ebs-csi-driver", 63, "asked", "Deployment", "ebs-csi-controller"),
  managedByEks("eks-pod-identity-agent", "eks-pod-identity-agent", 64, "asked", "DaemonSet", "eks-pod-identity-agent"),
];
