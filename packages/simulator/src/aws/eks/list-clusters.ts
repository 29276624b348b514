import type { ClusterFacts, ClusterNode } from "../../cloud/managed-kubernetes.ts";
import type { CloudRecord, Inventory } from "../../inventory/inventory.ts";
import { blockOf, mapOf, textOf, textsAt } from "../../values/read-value.ts";
import { isList, type ValueMap } from "../../values/value.ts";
import { findInstanceType } from "../ec2/instance-types.ts";
import { privateAddress } from "../ec2/vpc.ts";
import { hash } from "../place.ts";
import { machinesOf, nodesOf } from "./clusters.ts";
import { findVersion } from "./versions.ts";
import { limitNodes } from "../../cloud/limit-nodes.ts";

/** Returns a tenant's EKS clusters from the inventory. */
export async function listEksClusters(inventory: Inventory, tenant: string): Promise<readonly ClusterFacts[]> {
  const clusters = await inventory.list(tenant, "aws_eks_cluster");
  if (clusters.length === 0) return [];
  const groups = await inventory.list(tenant, "aws_eks_node_group");
  const subnets = await inventory.list(tenant, "aws_subnet");
  return clusters.map(({ id, attributes }) => ({
    name: id,
    region: textOf(attributes["region"]),
    version: patchOf(attributes),
    serviceRange: textOf(blockOf(attributes, "kubernetes_network_config")["service_ipv4_cidr"]),
    nodes: groups.filter((group) => group.attributes["cluster_name"] === id).flatMap((group) => listNodes(group, subnets)),
  }));
}

const effects: Readonly<Record<string, string>> = {
  NO_SCHEDULE: "NoSchedule",
  PREFER_NO_SCHEDULE: "PreferNoSchedule",
  NO_EXECUTE: "NoExecute",
};

// A node's name depends on its group, version and index. Scaling keeps the names; upgrading or replacing a group changes them.
function listNodes({ id, attributes }: CloudRecord, subnets: readonly CloudRecord[]): readonly ClusterNode[] {
  const places = textsAt(attributes, "subnet_ids").toSorted();
  const type = machinesOf(attributes)[0] ?? "t3.medium";
  const { vcpus = 2, memoryMiB = 4096 } = findInstanceType(type) ?? {};
  const region = textOf(attributes["region"]);
  const taints = attributes["taint"];
  return Array.from({ length: limitNodes(nodesOf(attributes)) }, (_, index) => {
    const subnet = subnets.find((record) => record.id === places[index % places.length])?.attributes;
    const who = `${id} ${textOf(attributes["arn"])} ${type} ${textOf(attributes["version"])} ${index}`;
    const internalIp = privateAddress(subnet, who);
    const zone = textOf(subnet?.["availability_zone"]);
    return {
      name: `ip-${internalIp.replaceAll(".", "-")}.${region}.compute.internal`,
      providerId: `aws:///${zone}/i-${hash(who).slice(0, 17)}`,
      labels: {
        ...textMap(attributes["labels"] ?? null),
        "eks.amazonaws.com/nodegroup": textOf(attributes["node_group_name"]),
        "eks.amazonaws.com/capacityType": textOf(attributes["capacity_type"]),
      },
      taints: (isList(taints) ? taints : []).map(mapOf).map(({ key, value, effect }) => ({
        key: textOf(key),
        value: textOf(value),
        effect: effects[textOf(effect)] ?? "NoSchedule",
      })),
      instanceType: type,
      region,
      zone,
      internalIp,
      cpu: vcpus,
      memoryGiB: memoryMiB / 1024,
      version: patchOf(attributes),
    };
  });
}

function patchOf(attributes: ValueMap): string {
  const version = textOf(attributes["version"]);
  return `v${findVersion(version)?.patch ?? `${version}.0`}`;
}

function textMap(value: ValueMap[string]): Record<string, string> {
  return Object.fromEntries(Object.entries(mapOf(value)).map(([key, inner]) => [key, textOf(inner)]));
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
