import { textOf } from "../../read-spec.ts";
import type { AddOn } from "../add-on.ts";

/** Karpenter adds and removes nodes to match the resource requests of pods. */
export const karpenter: AddOn = {
  name: "karpenter",
  order: 30,
  version: "1.14.1",
  clouds: ["aws"],
  wanted: { when: "aws.karpenter.enabled" },
  install: {
    by: "chart",
    chart: {
      name: "karpenter",
      repository: "oci://public.ecr.aws/karpenter",
      release: "karpenter",
      namespace: "kube-system",
    },
    values: ({ address, task, readyNodes }) => ({
      replicas: Math.min(2, Math.max(1, readyNodes)),
      settings: {
        clusterName: address.name,
        clusterEndpoint: address.endpoint,
        interruptionQueue: textOf(task.payload.outputs["karpenter_queue_name"]),
      },
      serviceAccount: { create: true, name: "karpenter" },
      // Karpenter would otherwise read the region from instance metadata, which pods cannot reach.
      controller: { env: [{ name: "AWS_REGION", value: address.region }] },
    }),
    findMissing: ({ task }) =>
      textOf(task.payload.outputs["karpenter_role_arn"]) === ""
        ? "the cluster has no IAM role for this add-on; upgrade its configuration to v1.0.0 or later"
        : undefined,
  },
};
