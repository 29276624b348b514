import type { ClusterFacts, ClusterNode } from "../../cloud/managed-kubernetes.ts";
import type { CloudRecord, Inventory } from "../../inventory/inventory.ts";
import { blockOf, mapOf, textOf, textsAt } from "../../values/read-value.ts";
import { isList, type ValueMap } from "../../values/value.ts";
import { findInstanceType } from "../ec2/instance-types.ts";
import { privateAddress } from "../ec2/vpc.ts";
import { hash } from "../place.ts";
import { machinesOf, nodesOf } from "./clusters.ts";
import { findVersion } from "./versions.ts";
import { createNodeLimits, limitLabels, limitTaints, limitText, type GrantNodes } from "../../cloud/limit-nodes.ts";

/** The types of the resources that describe EKS clusters and their nodes. */
export const eksRecordTypes = ["aws_eks_cluster", "aws_eks_node_group", "aws_subnet"];

/** Returns a tenant's EKS clusters from the inventory. */
export async function listEksClusters(inventory: Inventory, tenant: string): Promise<readonly ClusterFacts[]> {
  const clusters = await inventory.list(tenant, "aws_eks_cluster");
  if (clusters.length === 0) return [];
  const groups = Map.groupBy(await inventory.list(tenant, "aws_eks_node_group"), ({ attributes }) =>
    textOf(attributes["cluster_name"]),
  );
  const subnets = new Map((await inventory.list(tenant, "aws_subnet")).map(({ id, attributes }) => [id, attributes]));
  const startCluster = createNodeLimits();
  return clusters.map(({ id, attributes }) => {
    const grant = startCluster();
    return {
      name: id,
      region: textOf(attributes["region"]),
      version: patchOf(attributes),
      serviceRange: textOf(blockOf(attributes, "kubernetes_network_config")["service_ipv4_cidr"]),
      nodes: (groups.get(id) ?? []).flatMap((group) => listNodes(group, subnets, grant)),
    };
  });
}

const effects: Readonly<Record<string, string>> = {
  NO_SCHEDULE: "NoSchedule",
  PREFER_NO_SCHEDULE: "PreferNoSchedule",
  NO_EXECUTE: "NoExecute",
};

// A node's name depends on its group, version and index. Scaling keeps the names; upgrading or replacing a group changes them.
function listNodes(
  { id, attributes }: CloudRecord,
  subnets: ReadonlyMap<string, ValueMap>,
  grant: GrantNodes,
): readonly ClusterNode[] {
  const places = textsAt(attributes, "subnet_ids").toSorted();
  const type = limitText(machinesOf(attributes)[0] ?? "t3.medium");
  const { vcpus = 2, memoryMiB = 4096 } = findInstanceType(type) ?? {};
  const region = limitText(textOf(attributes["region"]));
  const common = {
    labels: {
      ...limitLabels(mapOf(attributes["labels"])),
      "eks.amazonaws.com/nodegroup": limitText(textOf(attributes["node_group_name"])),
      "eks.amazonaws.com/capacityType": limitText(textOf(attributes["capacity_type"])),
    },
    taints: listTaints(attributes),
    instanceType: type,
    region,
    cpu: vcpus,
    memoryGiB: memoryMiB / 1024,
    version: limitText(patchOf(attributes)),
  };
  const seed = [id, textOf(attributes["arn"]), type, textOf(attributes["version"])].map(limitText).join(" ");
  return Array.from({ length: grant(nodesOf(attributes), common) }, (_, index) => {
    const subnet = subnets.get(places[index % places.length] ?? "");
    const who = `${seed} ${index}`;
    const internalIp = privateAddress(subnet, who);
    const zone = limitText(textOf(subnet?.["availability_zone"]));
    return {
      ...common,
      name: `ip-${internalIp.replaceAll(".", "-")}.${region}.compute.internal`,
      providerId: `aws:///${zone}/i-${hash(who).slice(0, 17)}`,
      zone,
      internalIp,
    };
  });
}

function listTaints({ taint }: ValueMap): ClusterNode["taints"] {
  return limitTaints(
    (isList(taint) ? taint : []).map(mapOf).map(({ key, value, effect }) => ({
      key: textOf(key),
      value: textOf(value),
      effect: effects[textOf(effect)] ?? "NoSchedule",
    })),
  );
}

function patchOf(attributes: ValueMap): string {
  const version = textOf(attributes["version"]);
  return `v${findVersion(version)?.patch ?? `${version}.0`}`;
}

/** Returns the subnets for a cluster's load balancers: the subnets tagged for the cluster, or its own subnets if none are tagged. */
export async function listBalancerSubnets(
  inventory: Inventory,
  tenant: string,
  cluster: string,
): Promise<readonly CloudRecord[]> {
  const found = await inventory.find(tenant, { type: "aws_eks_cluster", id: cluster });
  const { vpc_id: vpcId, subnet_ids: own } = blockOf(found?.attributes, "vpc_config");
  const subnets = (await inventory.list(tenant, "aws_subnet")).filter(({ attributes }) => attributes["vpc_id"] === vpcId);
  const tagged = subnets.filter(({ attributes }) => mapOf(attributes["tags"])["kubernetes.io/role/elb"] === "1");
  return tagged.length > 0 ? tagged : subnets.filter(({ id }) => isList(own) && own.includes(id));
}
