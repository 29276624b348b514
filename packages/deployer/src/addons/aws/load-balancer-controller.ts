import { textOf } from "../../read-spec.ts";
import type { AddOn } from "../add-on.ts";

/** Creates AWS load balancers for Ingresses and for Services of type LoadBalancer. */
export const loadBalancerController: AddOn = {
  name: "aws-load-balancer-controller",
  order: 20,
  version: "3.5.0",
  clouds: ["aws"],
  // Only the Terraform configuration creates the controller's role.
  provisioners: ["terraform"],
  wanted: "always",
  install: {
    by: "chart",
    chart: {
      name: "aws-load-balancer-controller",
      repository: "https://aws.github.io/eks-charts",
      digest: "45051f634b33e10baccb3354d0681b7de787c60445e599fa276e0c9aedd4ccd5",
      release: "aws-load-balancer-controller",
      namespace: "kube-system",
    },
    // The service account's name is fixed, because EKS Pod Identity assigns the IAM role to it by name.
    values: ({ address, task, readyNodes }) => ({
      clusterName: address.name,
      region: address.region,
      vpcId: textOf(task.payload.outputs["vpc_id"]),
      replicaCount: Math.min(2, Math.max(1, readyNodes)),
      serviceAccount: { create: true, name: "aws-load-balancer-controller" },
      // Without this setting, every upgrade issues new certificates, and webhook calls fail until all replicas have loaded them.
      keepTLSSecret: true,
    }),
    findMissing: ({ task }) =>
      textOf(task.payload.outputs["load_balancer_controller_role_arn"]) === ""
        ? "the cluster has no IAM role for this add-on; upgrade its configuration to v1.0.0 or later"
        : undefined,
  },
};
