import { overlaps, parseRange } from "@cloudwright/platform";
import type { HookContext, SideEffects } from "../../provider/definition.ts";
import { isList, type Value, type ValueMap } from "../../values/value.ts";
import { createSelfSigned } from "../../wire/certificate.ts";
import { arnOf, callerOf, hash, type Place } from "../place.ts";
import { blockOf, numberOf, textOf, textsAt } from "../../values/read-value.ts";
import type { Refusal } from "../refusal.ts";
import type { AwsChange, AwsResource } from "../resource.ts";
import { ofGroups } from "../ec2/not-found.ts";
import { findRole } from "../iam/entities.ts";
import type { ClusterApi, DescribeClusterApi } from "../../cloud/cluster-api.ts";
import { badParameter, inSubnets, inUse, limitExceeded, refuseRole } from "./refusals.ts";
import { defaultVersion, findVersion, minorOf } from "./versions.ts";

/** Returns the EKS cluster resource type. */
export function createClusters(describeApi: DescribeClusterApi | undefined): { readonly aws_eks_cluster: AwsResource } {
  return {
    aws_eks_cluster: {
      service: "EKS",
      noun: "Cluster",
      calls: { update: "UpdateClusterConfig" },
      id: (planned) => textOf(planned["name"]),
      arn: (id, _attributes, place) => arnOf(place, "eks", `cluster/${id}`),
      forceNew: [
        "name",
        "role_arn",
        "bootstrap_self_managed_addons",
        "access_config.bootstrap_cluster_creator_admin_permissions",
        "kubernetes_network_config.ip_family",
        "kubernetes_network_config.service_ipv4_cidr",
        "outpost_config",
      ],
      defaults: {
        bootstrap_self_managed_addons: true,
        "vpc_config.endpoint_private_access": false,
        "vpc_config.endpoint_public_access": true,
        "access_config.bootstrap_cluster_creator_admin_permissions": true,
      },
      computedBlocks: ["access_config", "kubernetes_network_config", "upgrade_policy"],
      recompute: { platform_version: ["version"] },
      names: [inSubnets("vpc_config.subnet_ids"), ofGroups("vpc_config.security_group_ids")],
      limits: [
        {
          quota: "clusters-per-region",
          within: "region",
          refusal: (limit) => limitExceeded(`The maximum number of clusters (${limit}) has been reached.`),
        },
      ],
      held: () => inUse("Cluster has nodegroups attached"),
      takes: { create: 540, update: 480, delete: 180 },
      check: (change, context) => checkCluster(change, context),
      compute: (change, context) => describeCluster(change, context, describeApi),
      sideEffects: (change, context) => listSideEffects(change, context),
    },
  };
}

async function checkCluster(change: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const { operation, id, prior, planned } = change;
  if (operation === "delete") {
    const message = "Cluster cannot be deleted while deletion protection is enabled";
    const current = (await context.find({ type: "aws_eks_cluster", id }))?.attributes;
    return current?.["deletion_protection"] === true ? [{ code: "InvalidRequestException", message }] : [];
  }
  if (operation === "create" && (await context.find({ type: "aws_eks_cluster", id })) !== undefined) {
    return [inUse(`Cluster already exists with name: ${id}`)];
  }
  return [
    ...(operation === "create" && !/^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$/.test(id)
      ? [badParameter("The cluster name must begin with an alphanumeric character and have at most 100.", "name")]
      : []),
    ...checkVersion(textOf(prior["version"]), textOf(planned["version"])),
    ...checkSupport(prior, planned),
    ...(await refuseRole(textOf(planned["role_arn"]), "eks.", context, (arn) =>
      badParameter(
        `Role with arn: ${arn}, could not be assumed because it does not exist or the trusted entity is not correct`,
        "role_arn",
      ),
    )),
    ...(await checkSubnets(planned, context)),
    ...(await checkServiceRange(change, context)),
  ];
}

function checkVersion(before: string, after: string): readonly Refusal[] {
  if (after === "" || after === before) return [];
  if (findVersion(after) === undefined) return [badParameter(`unsupported Kubernetes version ${after}`, "version")];
  const step = minorOf(after) - minorOf(before);
  if (before === "" || step === 1) return [];
  return [badParameter(`Unsupported Kubernetes minor version update from ${before} to ${after}`, "version")];
}

function checkSupport(prior: ValueMap, planned: ValueMap): readonly Refusal[] {
  const [before, after] = [prior, planned].map((values) => textOf(blockOf(values, "upgrade_policy")["support_type"]));
  const version = textOf(planned["version"]) || defaultVersion;
  const isRefused = after === "STANDARD" && before !== after && findVersion(version)?.status === "EXTENDED_SUPPORT";
  return isRefused
    ? [badParameter(`Kubernetes version ${version} is in extended support. The support type must be EXTENDED.`, "upgrade_policy")]
    : [];
}

// Zones in which EKS does not place control planes.
export const refusedZoneIds: ReadonlySet<string> = new Set(["use1-az3", "usw1-az2", "cac1-az3"]);

async function findSubnets(planned: ValueMap, context: HookContext): Promise<readonly ValueMap[]> {
  const ids = textsAt(planned, "vpc_config.subnet_ids");
  const found = await Promise.all(ids.map((id) => context.find({ type: "aws_subnet", id })));
  return found.flatMap((record) => (record === undefined ? [] : [record.attributes]));
}

async function checkSubnets(planned: ValueMap, context: HookContext): Promise<readonly Refusal[]> {
  const subnets = await findSubnets(planned, context);
  if (subnets.length < textsAt(planned, "vpc_config.subnet_ids").length) return [];
  const zones = new Set(subnets.map((subnet) => subnet["availability_zone"]));
  const networks = new Set(subnets.map((subnet) => subnet["vpc_id"]));
  const refused = subnets.map((subnet) => textOf(subnet["availability_zone_id"])).find((zone) => refusedZoneIds.has(zone));
  if (refused !== undefined) {
    const message = `Cannot create cluster because ${refused}, the targeted availability zone, does not currently have sufficient capacity to support the cluster.`;
    return [{ code: "UnsupportedAvailabilityZoneException", message, path: ["vpc_config"] }];
  }
  return [
    ...(zones.size < 2 ? [badParameter("Subnets specified must be in at least two different AZs", "vpc_config")] : []),
    ...(networks.size > 1 ? [badParameter("Subnets specified must belong to the same VPC", "vpc_config")] : []),
  ];
}

async function checkServiceRange({ operation, planned }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const text = textOf(blockOf(planned, "kubernetes_network_config")["service_ipv4_cidr"]);
  if (operation !== "create" || text === "") return [];
  const range = parseRange(text);
  if (range === undefined || range.prefix < 12 || range.prefix > 24) {
    return [badParameter(`The specified service IPv4 CIDR ${text} is not valid: it must be between /24 and /12`)];
  }
  const [subnet] = await findSubnets(planned, context);
  const vpc = await context.find({ type: "aws_vpc", id: textOf(subnet?.["vpc_id"]) });
  const around = parseRange(textOf(vpc?.attributes["cidr_block"]));
  return around !== undefined && overlaps(range, around)
    ? [badParameter(`The specified service IPv4 CIDR ${text} overlaps with the CIDR of the VPC`)]
    : [];
}

async function describeCluster(
  { id, planned, prior, place }: AwsChange,
  context: HookContext,
  describeApi: DescribeClusterApi | undefined,
): Promise<Record<string, Value>> {
  const [subnet] = await findSubnets(planned, context);
  const vpcId = textOf(subnet?.["vpc_id"]);
  const vpc = await context.find({ type: "aws_vpc", id: vpcId });
  const around = parseRange(textOf(vpc?.attributes["cidr_block"]));
  const usual = parseRange("10.100.0.0/16");
  const isTaken = around !== undefined && usual !== undefined && overlaps(around, usual);
  const secret = clusterSecret(id, place);
  const version = textOf(planned["version"]) || textOf(prior["version"]) || defaultVersion;
  const api =
    prior["endpoint"] === undefined
      ? await (describeApi?.({ tenant: context.tenant, region: place.region, name: id }) ?? nowhere(secret, place, context.nowMs))
      : undefined;
  return {
    version,
    status: "ACTIVE",
    cluster_id: "",
    created_at: new Date(context.nowMs).toISOString(),
    platform_version: `eks.${Math.max(1, 40 - minorOf(version))}`,
    deletion_protection: false,
    identity: [{ oidc: [{ issuer: `https://oidc.eks.${place.region}.${place.suffix}/id/${secret}` }] }],
    ...(api === undefined
      ? {}
      : { endpoint: api.endpoint, certificate_authority: [{ data: Buffer.from(api.caPem).toString("base64") }] }),
    access_config: [{ authentication_mode: "CONFIG_MAP", bootstrap_cluster_creator_admin_permissions: true }],
    kubernetes_network_config: [
      {
        ip_family: "ipv4",
        service_ipv4_cidr: isTaken ? "172.20.0.0/16" : "10.100.0.0/16",
        service_ipv6_cidr: "",
        elastic_load_balancing: [],
      },
    ],
    upgrade_policy: [{ support_type: "EXTENDED" }],
    vpc_config: [
      {
        cluster_security_group_id: `sg-${hash(`cluster ${secret}`).slice(0, 17)}`,
        control_plane_egress_mode: "",
        public_access_cidrs: ["0.0.0.0/0"],
        vpc_id: vpcId,
      },
    ],
  };
}

/**
 * Returns the resources that EKS creates automatically: the access entry of the cluster's creator, and the log group. The log group is
 * created once a log type is enabled, unless the cluster's role denies it. Neither of them has tags.
 */
async function listSideEffects({ operation, id, planned, place }: AwsChange, context: HookContext): Promise<SideEffects> {
  if (operation === "delete") return {};
  const name = `/aws/eks/${id}/cluster`;
  const caller = callerOf(place);
  const { bootstrap_cluster_creator_admin_permissions: bootstraps = true, authentication_mode: mode } = blockOf(
    planned,
    "access_config",
  );
  const isLogged = textsAt(planned, "enabled_cluster_log_types").length > 0;
  const hasGroup = (await context.find({ type: "aws_cloudwatch_log_group", id: name })) !== undefined;
  const group = { id: name, name, region: place.region, cluster_name: id, ...logDefaults };
  const entry = {
    id: `${id}:${caller}`,
    cluster_name: id,
    principal_arn: caller,
    user_name: caller,
    type: "STANDARD",
    region: place.region,
  };
  return {
    put: [
      ...(isLogged && !hasGroup && !(await deniesLogGroups(planned, context))
        ? [{ type: "aws_cloudwatch_log_group", id: name, attributes: group }]
        : []),
      ...(operation === "create" && bootstraps !== false && textOf(mode).startsWith("API")
        ? [{ type: "aws_eks_access_entry", id: entry.id, attributes: entry }]
        : []),
    ],
  };
}

const logDefaults = { retention_in_days: 0, skip_destroy: false, log_group_class: "STANDARD" } as const;

async function deniesLogGroups(planned: ValueMap, context: HookContext): Promise<boolean> {
  const role = await findRole(textOf(planned["role_arn"]), context);
  if (role === undefined || role === "elsewhere") return false;
  const policies = (await context.list("aws_iam_role_policy")).filter(({ attributes }) => attributes["role"] === role.id);
  return policies.some(({ attributes }) =>
    /"Deny"[^}]*logs:CreateLogGroup|logs:CreateLogGroup[^}]*"Deny"/.test(textOf(attributes["policy"])),
  );
}

/** Returns the 32 hexadecimal digits at the start of a cluster's host names. */
function clusterSecret(name: string, { account, region }: Place): string {
  return hash(`${account} ${region} ${name}`).slice(0, 32).toUpperCase();
}

async function nowhere(secret: string, { region, suffix }: Place, nowMs: number): Promise<ClusterApi> {
  const place = 1 + (Number.parseInt(secret.slice(0, 4), 16) % 9);
  return {
    endpoint: `https://${secret}.gr${place}.${region}.eks.${suffix}`,
    caPem: createSelfSigned(nowMs).certificatePem,
  };
}

/** Returns the desired number of nodes in a node group. */
export function nodesOf(attributes: ValueMap): number {
  return numberOf(blockOf(attributes, "scaling_config")["desired_size"]);
}

/** Returns the instance types of a node group. */
export function machinesOf(attributes: ValueMap): readonly string[] {
  const types = attributes["instance_types"];
  return isList(types) ? types.filter((type) => typeof type === "string") : [];
}
