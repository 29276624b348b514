import type { AddOn } from "../add-on.ts";
import { karpenterNodes } from "./karpenter-nodes.ts";
import { karpenter } from "./karpenter.ts";
import { loadBalancerController } from "./load-balancer-controller.ts";
import { metricsServer } from "../metrics-server.ts";
import { storageClass } from "./storage-class.ts";

/** Optional EKS add-ons, each with the workload whose status shows whether the add-on is running. */
const managed: readonly (readonly [name: string, kind: string, workload: string, namespace?: string])[] = [
  ["vpc-cni", "DaemonSet", "aws-node"],
  ["kube-proxy", "DaemonSet", "kube-proxy"],
  ["coredns", "Deployment", "coredns"],
  ["aws-ebs-csi-driver", "Deployment", "ebs-csi-controller"],
  ["eks-pod-identity-agent", "DaemonSet", "eks-pod-identity-agent"],
  ["aws-efs-csi-driver", "Deployment", "efs-csi-controller"],
  ["snapshot-controller", "Deployment", "snapshot-controller"],
  ["eks-node-monitoring-agent", "DaemonSet", "eks-node-monitoring-agent"],
  ["adot", "Deployment", "opentelemetry-operator", "opentelemetry-operator-system"],
  ["amazon-cloudwatch-observability", "Deployment", "amazon-cloudwatch-observability-controller-manager", "amazon-cloudwatch"],
];

const podIdentityAgent = "eks-pod-identity-agent";

export const awsCatalogue: readonly AddOn[] = [
  storageClass,
  loadBalancerController,
  karpenter,
  karpenterNodes,
  { ...managedByEks(podIdentityAgent, "DaemonSet", podIdentityAgent), name: "pod-identities", order: 40, wanted: "always" },
  // Clusters in other clouds come with a metrics server.
  { ...metricsServer, clouds: ["aws"] },
  ...managed.map((each) => managedByEks(...each)),
];

function managedByEks(name: string, kind: string, workload: string, namespace = "kube-system"): AddOn {
  const install = { by: "cloud", managed: name, workload: { apiVersion: "apps/v1", kind, namespace, name: workload } } as const;
  return { name, order: 60, version: "", wanted: "asked", clouds: ["aws"], provisioners: ["terraform"], install };
}
