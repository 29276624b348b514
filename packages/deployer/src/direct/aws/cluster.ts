import { isScaledPool } from "./is-scaled-pool.ts";
import { needsAddress } from "../../kubernetes/aws/current-variables.ts";
import { nameInCloud, observeCluster } from "../../kubernetes/aws/observe.ts";
import { describeAwsChange } from "../../kubernetes/aws/preview.ts";
import { chooseSubnets } from "../../kubernetes/aws/desired.ts";
import { getNetwork } from "../../find-network.ts";
import { awsOf } from "../../kubernetes/aws/aws-of.ts";
import type { Blueprint } from "../../executor/in-process/blueprint.ts";
import { drainPool } from "../drain-pool.ts";
import { openTypes } from "../open-types.ts";
import { listDesired } from "./desired-resources.ts";
import { renderOutputs } from "./outputs.ts";
import { refuseUnsupported } from "./refuse-unsupported.ts";

// Each type comes before the types that refer to it.
const types = ["aws_iam_role", "aws_eks_cluster", "aws_eks_access_entry", "aws_eks_node_group"];

/**
 * An EKS cluster with one managed node group per node pool, built without Terraform. Resource types, attributes and outputs have the same
 * names as in the Terraform configuration, so that policies, previews and everything else that uses a cluster work with both.
 */
export const awsClusterBlueprint: Blueprint<"Cluster"> = {
  service: "cluster",
  cloud: "aws",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, types),
  async observe(entity, around, { openCloud }) {
    const cloud = await openCloud();
    const { controlPlane } = chooseSubnets(entity, getNetwork(entity, around));
    const refusedSubnets = (await cloud.clusters?.listRefusedSubnets?.(controlPlane)) ?? [];
    const found = {
      ...(await observeCluster(entity, around, cloud, needsAddress(entity, around))),
      refusedSubnets: [...refusedSubnets],
    };
    if (awsOf(entity.spec).accessEntries.length === 0) return found;
    // EKS automatically gives the creator of a cluster access and rejects a second access entry.
    const builtInAccess = await cloud.clusters?.findBuiltInAccess?.(nameInCloud(entity, around.outputs));
    return { ...found, ...(builtInAccess === undefined ? {} : { builtInAccess }) };
  },
  resources(entity, _account, around) {
    refuseUnsupported(entity, around.nodePools);
    return listDesired(entity, around);
  },
  outputs: renderOutputs,
  describeChange: describeAwsChange,
  isChangedByOthers: isScaledPool,
  poolOf: ({ type, name }) => (type === "aws_eks_node_group" ? name : undefined),
  async beforeDelete({ type, name, id }, cloud, work) {
    if (type === "aws_eks_cluster") await cloud.clusters?.unprotect(id);
    // Pools are not drained if the whole cluster is deleted, because its workloads are deleted with it.
    if (type !== "aws_eks_node_group" || work.isRemoval) return;
    await drainPool({ pool: name, nodeLabels: `eks.amazonaws.com/nodegroup=${name}` }, cloud, work);
  },
};
