import { Fault } from "@cloudwright/platform";
import { compareVersions, pickOutputs } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import { getNetwork } from "../../find-network.ts";
import type { Stack } from "../../stack.ts";
import { createPoolOf } from "../pool-of.ts";
import { renderFirstVariables } from "./first-variables.ts";
import { describeAwsChange } from "./preview.ts";
import { renderAwsVariables } from "./variables.ts";
import { renderCurrentVariables } from "./current-variables.ts";
import { refuseCurrent, refuseForeign } from "./desired.ts";
import { findUntaggedPart, needsLogGroup } from "./find-untagged.ts";
import { isScaled, nameInCloud, observeCluster } from "./observe.ts";

const first = {
  cluster_name: "text",
  cluster_arn: "text",
  endpoint: "text",
  certificate_authority: "text",
  version: "text",
  security_group_id: "text",
  oidc_issuer: "text",
  oidc_provider_arn: "text",
  cluster_role_arn: "text",
  node_role_arn: "text",
  node_group_names: "texts",
  ready_nodes: "number",
} as const;

const wanted = {
  ...first,
  region: "text",
  vpc_id: "text",
  worker_subnet_ids: "texts",
  kms_key_arn: "text",
  ebs_csi_role_arn: "text",
  load_balancer_controller_role_arn: "text",
  karpenter_role_arn: "text",
  karpenter_node_role_arn: "text",
  karpenter_node_role_name: "text",
  karpenter_queue_name: "text",
  addon_versions: "object",
  addon_minors: "object",
} as const;

const current = { ...wanted, choices: "object" } as const;

const firstVersion = "v0.1.0";

function isCurrent(version: string): boolean {
  return compareVersions(version.slice(1), "1.1.0") >= 0;
}

/** An EKS cluster with one managed node group per node pool. */
export const awsKubernetes: Stack<"Cluster"> = {
  service: "cluster",
  folder: "kubernetes",
  cloud: "aws",
  variables(entity, _account, around, version) {
    refuseForeign(entity);
    if (isCurrent(version)) return renderCurrentVariables(entity, around);
    if (version === firstVersion) return renderFirstVariables(entity, around);
    refuseCurrent(entity, around.nodePools, version);
    return renderAwsVariables(entity, around);
  },
  observe: (entity, around, cloud, version) => observeCluster(entity, around, cloud, isCurrent(version)),
  protectedTypes: { aws_eks_cluster: ["aws_eks_node_group"] },
  releaseForRemoval: async (entity, outputs, { clusters }) => clusters?.unprotect(nameInCloud(entity, outputs)),
  isChangedByOthers: isScaled,
  removalVariables(entity, around, version) {
    if (version === firstVersion) return undefined;
    return {
      cluster_name: entity.name,
      region: getNetwork(entity, around).region,
      controlplane_subnet_ids: ["subnet-0", "subnet-1"],
      private_subnet_ids: ["subnet-0"],
      addons: {},
      owner: { project: entity.project, entity: entity.uid },
    };
  },
  environment: () => ({}),
  describeChange: describeAwsChange,
  poolOf: createPoolOf(["aws_eks_node_group", "aws_launch_template"]),
  status(outputs) {
    const isFirst = outputs["region"] === undefined;
    const expected = isFirst ? first : outputs["choices"] === undefined ? wanted : current;
    const { values, problems } = pickOutputs(outputs, expected);
    if (problems.length > 0) {
      const said = problems.map(({ field, message }) => `${field} ${message}`).join(", ");
      throw new Fault(deployerFaults.bad_outputs, `the outputs of the cluster's configuration are invalid: ${said}`);
    }
    return values;
  },
  findUntagged: ({ type, names }, tagged, declares, entity, purpose = { outputs: {}, isRemoval: false }) =>
    findUntaggedPart(type, names, tagged, () => needsLogGroup(entity, declares, purpose)),
};
