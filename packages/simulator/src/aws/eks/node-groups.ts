import { getQuota } from "../../cloud/quotas.ts";
import type { HookContext } from "../../provider/definition.ts";
import type { Value, ValueMap } from "../../values/value.ts";
import { arnOf, hash } from "../place.ts";
import { blockOf, numberOf, textOf, textsAt } from "../../values/read-value.ts";
import type { Refusal } from "../refusal.ts";
import { makeId, type AwsChange, type AwsResource } from "../resource.ts";
import { findInstanceType } from "../ec2/instance-types.ts";
import { notFound } from "../ec2/not-found.ts";
import { machinesOf, nodesOf } from "./clusters.ts";
import { badParameter, inSubnets, inUse, limitExceeded, ofCluster, refuseRole } from "./refusals.ts";
import { findVersion, minorOf } from "./versions.ts";

const nodeGroup: AwsResource = {
  service: "EKS",
  noun: "Node Group",
  calls: { create: "CreateNodegroup", update: "UpdateNodegroupConfig", delete: "DeleteNodegroup" },
  id: (planned, _place, { nowMs }) =>
    `${textOf(planned["cluster_name"])}:${textOf(planned["node_group_name"]) || `${textOf(planned["node_group_name_prefix"]) || "terraform-"}${makeId("", nowMs).slice(1)}`}`,
  arn: (id, _attributes, place) => arnOf(place, "eks", `nodegroup/${id.replace(":", "/")}/${hash(id).slice(0, 32)}`),
  forceNew: [
    "cluster_name",
    "node_group_name",
    "node_group_name_prefix",
    "node_role_arn",
    "subnet_ids",
    "ami_type",
    "capacity_type",
    "disk_size",
    "instance_types",
    "launch_template.id",
    "launch_template.name",
    "remote_access",
  ],
  computedBlocks: ["update_config"],
  recompute: { release_version: ["version"] },
  names: [
    ofCluster("holds"),
    inSubnets("subnet_ids"),
    { path: "launch_template.id", to: ["aws_launch_template"], missing: notFound.template, tie: "none" },
  ],
  limits: [
    {
      quota: "node-groups-per-cluster",
      within: "cluster_name",
      refusal: (limit) => limitExceeded(`The maximum number of nodegroups (${limit}) has been reached.`),
    },
  ],
  takes: { create: 110, update: 60, delete: 150 },
  validate: (config) => {
    const { max_size: max } = blockOf(config, "scaling_config");
    return typeof max === "number" && max < 1
      ? [
          {
            summary: `expected scaling_config.0.max_size to be at least (1), got ${max}`,
            path: ["scaling_config", 0, "max_size"],
          },
        ]
      : [];
  },
  check: (change, context) => checkNodeGroup(change, context),
  compute: (change, context) => describeNodeGroup(change, context),
};

async function checkNodeGroup(change: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const { operation, id, planned } = change;
  if (operation === "delete") return [];
  if (operation === "create" && (await context.find({ type: "aws_eks_node_group", id })) !== undefined) {
    const [cluster = "", name = ""] = id.split(":");
    return [inUse(`NodeGroup already exists with name ${name} and cluster name ${cluster}`)];
  }
  return [
    ...checkSizes(planned, context),
    ...checkMachines(planned),
    ...(await checkVersion(change, context)),
    ...(await checkPlaces(planned, context)),
    ...(await checkProcessors(change, context)),
    ...(await refuseRole(textOf(planned["node_role_arn"]), "ec2.", context, (arn) =>
      badParameter(
        `Following required service principals [ec2.amazonaws.com] were not found in the trust relationships of nodeRole ${arn}`,
        "node_role_arn",
      ),
    )),
  ];
}

function checkSizes(planned: ValueMap, context: HookContext): readonly Refusal[] {
  const sizes = blockOf(planned, "scaling_config");
  const [min, desired, max] = [numberOf(sizes["min_size"]), numberOf(sizes["desired_size"]), numberOf(sizes["max_size"])];
  if (min > max) return [badParameter(`Minimum capacity ${min} can't be greater than maximum size ${max}`, "scaling_config")];
  if (min > desired)
    return [badParameter(`Minimum capacity ${min} can't be greater than desired size ${desired}`, "scaling_config")];
  if (desired > max) return [badParameter(`desired capacity ${desired} can't be greater than max size ${max}`, "scaling_config")];
  const limit = getQuota("nodes-per-node-group", context.conditions);
  return max > limit ? [limitExceeded(`Nodegroup max size ${max} exceeds the limit of ${limit} nodes per nodegroup`)] : [];
}

function checkMachines(planned: ValueMap): readonly Refusal[] {
  const names = machinesOf(planned);
  const strange = names.filter((name) => findInstanceType(name) === undefined);
  if (strange.length > 0) {
    const message = `The following supplied instance types do not exist: [${strange.join(", ")}]`;
    return [{ code: "InvalidRequestException", message, path: ["instance_types"] }];
  }
  const image = textOf(planned["ami_type"]);
  const wanted = /ARM_64|arm64/.test(image) ? "arm64" : "x86_64";
  const other =
    image === "" || image === "CUSTOM" ? undefined : names.find((name) => findInstanceType(name)?.architecture !== wanted);
  if (other === undefined) return [];
  return [badParameter(`[${other}] is not a valid instance type for requested amiType ${image}`, "instance_types")];
}

async function checkVersion({ planned, prior }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const version = textOf(planned["version"]);
  const cluster = await context.find({ type: "aws_eks_cluster", id: textOf(planned["cluster_name"]) });
  const above = textOf(cluster?.attributes["version"]);
  if (version === "" || above === "") return [];
  if (findVersion(version) === undefined)
    return [badParameter(`Requested Nodegroup release version is invalid: ${version}`, "version")];
  if (minorOf(version) > minorOf(above)) {
    return [badParameter(`Nodegroup Kubernetes version ${version} must not be higher than Cluster version ${above}`, "version")];
  }
  const isBack = minorOf(version) < minorOf(textOf(prior["version"]));
  return isBack ? [badParameter(`Nodegroup version cannot be downgraded to ${version}`, "version")] : [];
}

async function checkPlaces(planned: ValueMap, context: HookContext): Promise<readonly Refusal[]> {
  const cluster = await context.find({ type: "aws_eks_cluster", id: textOf(planned["cluster_name"]) });
  const vpcId = textOf(blockOf(cluster?.attributes, "vpc_config")["vpc_id"]);
  const subnets = await Promise.all(textsAt(planned, "subnet_ids").map((id) => context.find({ type: "aws_subnet", id })));
  const strange = subnets.find((subnet) => vpcId !== "" && subnet !== undefined && subnet.attributes["vpc_id"] !== vpcId);
  return strange === undefined
    ? []
    : [badParameter(`Subnet ${strange.id} does not belong to the VPC ${vpcId} of the cluster`, "subnet_ids")];
}

async function checkProcessors({ id, planned }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const others = (await context.list("aws_eks_node_group")).filter((record) => record.id !== id);
  const count = (attributes: ValueMap): number =>
    nodesOf(attributes) * (findInstanceType(machinesOf(attributes)[0] ?? "t3.medium")?.vcpus ?? 2);
  const wanted = others.reduce((sum, { attributes }) => sum + count(attributes), count(planned));
  const limit = getQuota("vcpus-per-region", context.conditions);
  if (wanted <= limit) return [];
  return [
    {
      code: "AsgInstanceLaunchFailures",
      message: `Could not launch On-Demand Instances. VcpuLimitExceeded - You have requested more vCPU capacity than your current vCPU limit of ${limit} allows for the instance bucket that the specified instance type belongs to.`,
    },
  ];
}

async function describeNodeGroup({ id, planned, prior }: AwsChange, context: HookContext): Promise<Record<string, Value>> {
  const [clusterName = "", name = ""] = id.split(":");
  const cluster = await context.find({ type: "aws_eks_cluster", id: clusterName });
  const version = textOf(planned["version"]) || textOf(prior["version"]) || textOf(cluster?.attributes["version"]);
  const template = blockOf(planned, "launch_template");
  const written = textOf(template["id"]);
  const found = (await context.list("aws_launch_template")).find(
    (record) => record.id === written || record.attributes["name"] === template["name"],
  );
  return {
    node_group_name: name,
    status: "ACTIVE",
    version,
    release_version: `${findVersion(version)?.patch ?? version}-20261101`,
    ami_type: "AL2023_x86_64_STANDARD",
    capacity_type: "ON_DEMAND",
    disk_size: found === undefined ? 20 : 0,
    instance_types: found === undefined ? ["t3.medium"] : [],
    resources: [
      {
        autoscaling_groups: [{ name: `eks-${name}-${hash(id).replace(/^(.{8})(.{4})(.{4}).*$/, "$1-$2-$3")}` }],
        remote_access_security_group_id: "",
      },
    ],
    update_config: [{ max_unavailable: 1, max_unavailable_percentage: null, update_strategy: null }],
    ...(found === undefined ? {} : { launch_template: [{ id: found.id, name: textOf(found.attributes["name"]) }] }),
  };
}

/** The EKS node group resource type. */
export const nodeGroups = { aws_eks_node_group: nodeGroup } as const;
