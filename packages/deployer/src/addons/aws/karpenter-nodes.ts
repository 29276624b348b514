import { numberOf, textOf, textsOf } from "../../read-spec.ts";
import type { AddOn } from "../add-on.ts";

const pool = { apiVersion: "karpenter.sh/v1", kind: "NodePool" };
const nodeClass = { apiVersion: "karpenter.k8s.aws/v1", kind: "EC2NodeClass" };

/** Karpenter's default node pool. Karpenter does not create nodes without a pool. */
export const karpenterNodes: AddOn = {
  name: "karpenter-nodes",
  order: 31,
  version: "1.0.0",
  isFixed: true,
  clouds: ["aws"],
  wanted: { when: "aws.karpenter.enabled" },
  install: {
    by: "manifests",
    findMissing: async ({ client, task }) =>
      (await client.isServed(nodeClass, task.signal)) ? undefined : "Karpenter is not installed",
    render({ task }, _version, values) {
      const { outputs } = task.payload;
      const among = (key: string, otherwise: readonly string[], of: readonly string[]) => ({
        key,
        operator: "In",
        values: of.length > 0 ? of : otherwise,
      });
      return [
        {
          ...nodeClass,
          metadata: { name: "default" },
          spec: {
            amiSelectorTerms: [{ alias: "bottlerocket@latest" }],
            role: textOf(outputs["karpenter_node_role_name"]),
            subnetSelectorTerms: textsOf(outputs["worker_subnet_ids"]).map((id) => ({ id })),
            securityGroupSelectorTerms: [{ id: textOf(outputs["security_group_id"]) }],
          },
        },
        {
          ...pool,
          metadata: { name: "default" },
          spec: {
            template: {
              spec: {
                nodeClassRef: { group: "karpenter.k8s.aws", kind: nodeClass.kind, name: "default" },
                requirements: [
                  among("kubernetes.io/os", ["linux"], []),
                  among("kubernetes.io/arch", ["amd64"], textsOf(values["architectures"])),
                  among("karpenter.sh/capacity-type", ["on-demand"], textsOf(values["capacityTypes"])),
                  among("karpenter.k8s.aws/instance-category", ["c", "m", "r"], textsOf(values["instanceCategories"])),
                ],
                expireAfter: "720h",
              },
            },
            // Caps the cost if pods request too much CPU. Users can raise the limit.
            limits: { cpu: String(numberOf(values["cpuLimit"]) || 100) },
            disruption: { consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfter: "1m" },
          },
        },
      ];
    },
  },
};
