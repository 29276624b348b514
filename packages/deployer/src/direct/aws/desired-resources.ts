import { Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { deployerFaults } from "../../faults.ts";
import { awsOf } from "../../kubernetes/aws/aws-of.ts";
import { readChoices } from "../../kubernetes/aws/choices.ts";
import { needsAddress } from "../../kubernetes/aws/current-variables.ts";
import { chooseSubnets, readEndpoint, readVersion } from "../../kubernetes/aws/desired.ts";
import { renderNodePools } from "../../kubernetes/aws/node-pools.ts";
import { nameInCloud } from "../../kubernetes/aws/observe.ts";
import { refer, type DesiredResource } from "../../executor/in-process/blueprint.ts";
import { getNetwork } from "../../find-network.ts";
import { listOf, objectOf, textOf, textsOf } from "../../read-spec.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedEntity, Json, JsonObject, Surroundings } from "../../task.ts";

const cluster = "aws_eks_cluster.this";

/**
 * Desired health of every resource. If a resource is not ready, an update waits until its interrupted creation has finished. If AWS could
 * not create a resource, the resource is replaced.
 */
const healthy = { ready: true, failed: false };

/** Lists the resources of a cluster: its roles, the cluster, access entries and one node group per pool. */
export function listDesired(entity: DeployedEntity<"Cluster">, around: Surroundings): readonly DesiredResource[] {
  const aws = awsOf(entity.spec);
  const tags = renderTags("aws", entity);
  const { region } = getNetwork(entity, around);
  const place = { region, name: nameInCloud(entity, around.outputs), tags };
  return [
    ...(aws.eksRoleArn === "" ? [renderRole("cluster", place)] : []),
    ...(aws.nodeRoleArn === "" ? [renderRole("nodes", place)] : []),
    renderCluster(entity, around, place),
    ...renderEntries(entity, around, place),
    ...renderPools(entity, around, place),
  ];
}

interface Place {
  readonly region: string;
  /** The cluster's name in AWS. */
  readonly name: string;
  readonly tags: JsonObject;
}

const roles = {
  cluster: { service: "eks", actions: ["sts:AssumeRole", "sts:TagSession"], policies: ["AmazonEKSClusterPolicy"] },
  nodes: {
    service: "ec2",
    actions: ["sts:AssumeRole"],
    policies: ["AmazonEC2ContainerRegistryPullOnly", "AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy"],
  },
} as const;

function renderRole(role: keyof typeof roles, { region, name, tags }: Place): DesiredResource {
  const { service, actions, policies } = roles[role];
  const partition = partitionOf(region);
  const domain = service === "ec2" && partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
  const statement = { Effect: "Allow", Principal: { Service: `${service}.${domain}` }, Action: actions };
  return {
    type: "aws_iam_role",
    name: role,
    attributes: {
      name: `${name}-${role}`,
      assume_role_policy: JSON.stringify({ Version: "2012-10-17", Statement: [statement] }),
      managed_policy_arns: policies.map((policy) => `arn:${partition}:iam::aws:policy/${policy}`).toSorted(),
      tags,
    },
  };
}

function partitionOf(region: string): string {
  return region.startsWith("cn-") ? "aws-cn" : region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
}

function renderCluster(entity: DeployedEntity<"Cluster">, around: Surroundings, { name, tags }: Place): DesiredResource {
  const { spec } = entity;
  const aws = awsOf(spec);
  const { isPublic, ranges } = readEndpoint(spec.endpoint);
  const { publicRanges } = readChoices(around.outputs);
  const address = textOf(around.observed?.["address"]);
  const usualRanges = needsAddress(entity, around) && address !== "" ? [`${address}/32`] : publicRanges;
  const version = readVersion(entity);
  return {
    type: "aws_eks_cluster",
    name: "this",
    attributes: {
      name,
      role_arn: aws.eksRoleArn || refer("aws_iam_role.cluster", "arn"),
      ...(version === null ? {} : { version }),
      vpc_config: [
        {
          subnet_ids: chooseControlPlaneSubnets(entity, around),
          security_group_ids: [],
          endpoint_public_access: isPublic,
          endpoint_private_access: true,
          public_access_cidrs: isPublic ? (ranges.length > 0 ? ranges : usualRanges).toSorted() : [],
        },
      ],
      access_config: [{ authentication_mode: "API" }],
      deletion_protection: aws.deletionProtection ?? true,
      tags,
      ...healthy,
    },
  };
}

/** Returns the subnets of the control plane, except those in zones that EKS rejects. */
function chooseControlPlaneSubnets(entity: DeployedEntity<"Cluster">, around: Surroundings): string[] {
  const { controlPlane } = chooseSubnets(entity, getNetwork(entity, around));
  const refused = new Set(textsOf(around.observed?.["refusedSubnets"]));
  const usable = controlPlane.filter((id) => !refused.has(id)).toSorted();
  if (usable.length >= 2) return usable;
  const message = `${entity.name} needs subnets in two zones that EKS accepts for control planes; it refuses the zones of ${[...refused].join(", ")}`;
  throw new Fault(deployerFaults.bad_spec, message);
}

const policies: Readonly<Record<string, string>> = {
  "cluster-admin": "AmazonEKSClusterAdminPolicy",
  admin: "AmazonEKSAdminPolicy",
  edit: "AmazonEKSEditPolicy",
  view: "AmazonEKSViewPolicy",
};

function renderEntries(entity: DeployedEntity<"Cluster">, around: Surroundings, { region, tags }: Place): DesiredResource[] {
  const builtIn = textOf(around.observed?.["builtInAccess"]);
  return awsOf(entity.spec)
    .accessEntries.filter(({ principalArn }) => principalArn !== builtIn)
    .map(({ principalArn, policy, groups }) => ({
      type: "aws_eks_access_entry",
      name: createHash("sha256").update(principalArn).digest("hex").slice(0, 16),
      attributes: {
        cluster_name: refer(cluster, "id"),
        principal_arn: principalArn,
        kubernetes_groups: groups.toSorted(),
        type: "STANDARD",
        access_policy_arns:
          policy === "" ? [] : [`arn:${partitionOf(region)}:eks::aws:cluster-access-policy/${policies[policy] ?? policy}`],
        tags,
      },
    }));
}

const effects: Readonly<Record<string, string>> = {
  NoSchedule: "NO_SCHEDULE",
  PreferNoSchedule: "PREFER_NO_SCHEDULE",
  NoExecute: "NO_EXECUTE",
};

function renderPools(entity: DeployedEntity<"Cluster">, around: Surroundings, { region, tags }: Place): DesiredResource[] {
  const version = readVersion(entity);
  const subnets = chooseSubnets(entity, getNetwork(entity, around)).workers.toSorted();
  const named = new Map(around.nodePools.map((pool) => [pool.name, pool]));
  return Object.entries(renderNodePools(entity, around, region)).map(([name, pool]) => {
    const own = named.get(name);
    const several = own?.spec.instanceTypes ?? [];
    const disk = pool["disk_size_gib"];
    return {
      type: "aws_eks_node_group",
      name,
      attributes: {
        cluster_name: refer(cluster, "id"),
        node_group_name: name,
        node_role_arn: awsOf(entity.spec).nodeRoleArn || refer("aws_iam_role.nodes", "arn"),
        subnet_ids: subnets,
        instance_types: several.length > 0 ? [...several] : [pool["instance_type"] ?? ""],
        capacity_type: pool["capacity"] === "spot" ? "SPOT" : "ON_DEMAND",
        ...(disk === undefined ? {} : { disk_size: disk }),
        scaling_config: [{ desired_size: pool.desired, min_size: pool["min"] ?? 0, max_size: pool["max"] ?? 1 }],
        labels: objectOf(pool["labels"]),
        taint: renderTaints(pool["taints"]),
        ...(version === null ? {} : { version }),
        tags: { ...tags, ...(own === undefined ? {} : renderTags("aws", own)) },
        ...healthy,
      },
    };
  });
}

function renderTaints(value: Json | undefined): JsonObject[] {
  return listOf(value)
    .map((each) => objectOf(each))
    .map(({ key, value: text, effect }) => ({
      key: textOf(key),
      value: textOf(text),
      effect: effects[textOf(effect)] ?? textOf(effect),
    }))
    .toSorted((one, other) => `${one.key} ${one.effect}`.localeCompare(`${other.key} ${other.effect}`));
}
