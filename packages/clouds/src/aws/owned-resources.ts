import { crc32 } from "node:zlib";
import type { EC2Client, Route } from "@aws-sdk/client-ec2";
import type { OwnedResource } from "../cloud-provider.ts";
import type { AwsApi } from "./api.ts";

export interface TaggedResource extends Omit<OwnedResource, "part"> {
  readonly tags: Readonly<Record<string, string>>;
}

/** Terraform resource types, keyed by the prefix of the EC2 resource ID. */
const ec2Types: Readonly<Record<string, string>> = {
  vpc: "aws_vpc",
  subnet: "aws_subnet",
  igw: "aws_internet_gateway",
  nat: "aws_nat_gateway",
  eipalloc: "aws_eip",
  rtb: "aws_route_table",
  acl: "aws_network_acl",
  sg: "aws_security_group",
  sgr: "aws_vpc_security_group_ingress_rule",
  vpce: "aws_vpc_endpoint",
  fl: "aws_flow_log",
  eigw: "aws_egress_only_internet_gateway",
  lt: "aws_launch_template",
  vol: "aws_ebs_volume",
};

interface ArnType {
  readonly arn: RegExp;
  readonly type: string;
  /** Extracts the ID that Terraform's state uses. */
  readonly id: (match: string[]) => string;
  /** Extracts the ID that an import uses, if it differs from `id`. */
  readonly importId?: (match: string[]) => string;
}

/** Terraform resource types, keyed by ARN pattern. */
const arnTypes: readonly ArnType[] = [
  { arn: /:eks:[^:]*:\d+:cluster\/([^/]+)$/, type: "aws_eks_cluster", id: ([, name = ""]) => name },
  {
    arn: /:eks:[^:]*:\d+:nodegroup\/([^/]+)\/([^/]+)\//,
    type: "aws_eks_node_group",
    id: ([, cluster = "", name = ""]) => `${cluster}:${name}`,
  },
  {
    arn: /:eks:[^:]*:\d+:addon\/([^/]+)\/([^/]+)\//,
    type: "aws_eks_addon",
    id: ([, cluster = "", name = ""]) => `${cluster}:${name}`,
  },
  {
    arn: /^arn:([^:]+):eks:[^:]*:\d+:access-entry\/([^/]+)\/(role|user)\/(\d+)\/(.+)\/[^/]+$/,
    type: "aws_eks_access_entry",
    id: ([, partition = "", cluster = "", kind = "", account = "", name = ""]) =>
      `${cluster}:arn:${partition}:iam::${account}:${kind}/${name}`,
  },
  {
    arn: /:eks:[^:]*:\d+:podidentityassociation\/([^/]+)\/([^/]+)$/,
    type: "aws_eks_pod_identity_association",
    id: ([, , association = ""]) => association,
    importId: ([, cluster = "", association = ""]) => `${cluster},${association}`,
  },
  {
    arn: /^arn:([^:]+):sqs:([^:]+):(\d+):([^:]+)$/,
    type: "aws_sqs_queue",
    id: ([, partition = "", region = "", account = "", name = ""]) =>
      `https://sqs.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}/${account}/${name}`,
  },
  { arn: /:s3:::([^/]+)$/, type: "aws_s3_bucket", id: ([, name = ""]) => name },
  { arn: /:kms:[^:]*:\d+:key\/(.+)$/, type: "aws_kms_key", id: ([, id = ""]) => id },
  { arn: /:logs:[^:]*:\d+:log-group:([^:]+)/, type: "aws_cloudwatch_log_group", id: ([, name = ""]) => name },
  { arn: /^(.*:iam::\d+:oidc-provider\/.+)$/, type: "aws_iam_openid_connect_provider", id: ([, arn = ""]) => arn },
  { arn: /^(.*:iam::\d+:policy\/.+)$/, type: "aws_iam_policy", id: ([, arn = ""]) => arn },
  { arn: /:iam::\d+:role\/(?:.+\/)?([^/]+)$/, type: "aws_iam_role", id: ([, name = ""]) => name },
  { arn: /:iam::\d+:instance-profile\/(?:.+\/)?([^/]+)$/, type: "aws_iam_instance_profile", id: ([, name = ""]) => name },
  {
    arn: /^(.*:events:[^:]*:\d+:rule\/.+)$/,
    type: "aws_cloudwatch_event_rule",
    id: ([, arn = ""]) => arn.split("/").at(-1) ?? "",
  },
];

/** Returns the resource that an ARN identifies, or undefined if no configuration creates that resource type. */
export function readArn(arn: string): Pick<TaggedResource, "type" | "id" | "importId"> | undefined {
  for (const { arn: pattern, type, id, importId } of arnTypes) {
    const match = pattern.exec(arn);
    if (match !== null) return { type, id: id(match), ...(importId === undefined ? {} : { importId: importId(match) }) };
  }
  return undefined;
}

/** Lists every resource with the tag, both regional and global. */
export async function listTaggedResources(
  api: AwsApi,
  tag: { readonly key: string; readonly value: string },
): Promise<TaggedResource[]> {
  const [inEc2, elsewhere, roles] = await Promise.all([listInEc2(api, tag), listElsewhere(api, tag), listRoles(api, tag)]);
  return [...inEc2, ...elsewhere, ...roles, ...(await listInRouteTables(api, inEc2)), ...(await listRanges(api, inEc2))];
}

async function listInEc2(api: AwsApi, { key, value }: { key: string; value: string }): Promise<TaggedResource[]> {
  return api.call("list tagged resources", async (clients) => {
    const { DescribeTagsCommand, paginateDescribeTags } = await import("@aws-sdk/client-ec2");
    const client = await clients.ec2();
    const ids = new Map<string, string>();
    const filter = {
      Filters: [
        { Name: "key", Values: [key] },
        { Name: "value", Values: [value] },
      ],
    };
    for await (const page of paginateDescribeTags({ client }, filter)) {
      for (const { ResourceId = "" } of page.Tags ?? []) {
        const type = ec2Types[ResourceId.split("-")[0] ?? ""];
        if (type !== undefined) ids.set(ResourceId, type);
      }
    }
    const tags = new Map<string, Record<string, string>>();
    const all = [...ids.keys()];
    // AWS allows at most 200 values per filter.
    for (let from = 0; from < all.length; from += 200) {
      let token: string | undefined;
      do {
        const Filters = [{ Name: "resource-id", Values: all.slice(from, from + 200) }];
        const page = await client.send(
          new DescribeTagsCommand({ Filters, ...(token === undefined ? {} : { NextToken: token }) }),
        );
        for (const { ResourceId = "", Key = "", Value = "" } of page.Tags ?? []) {
          tags.set(ResourceId, { ...tags.get(ResourceId), [Key]: Value });
        }
        token = page.NextToken === "" ? undefined : page.NextToken;
      } while (token !== undefined);
    }
    for (const id of await listDefaultGroups(client, all)) ids.set(id, "aws_default_security_group");
    return [...ids].map(([id, type]) => ({ type, id, tags: tags.get(id) ?? {}, names: [] }));
  });
}

// AWS creates a default security group in each VPC. Terraform has a separate type for it, because the group cannot be deleted.
async function listDefaultGroups(client: EC2Client, ids: readonly string[]): Promise<string[]> {
  const groups = ids.filter((id) => id.startsWith("sg-"));
  if (groups.length === 0) return [];
  const { paginateDescribeSecurityGroups } = await import("@aws-sdk/client-ec2");
  const found: string[] = [];
  for (let from = 0; from < groups.length; from += 100) {
    const Filters = [
      { Name: "group-id", Values: groups.slice(from, from + 100) },
      { Name: "group-name", Values: ["default"] },
    ];
    for await (const page of paginateDescribeSecurityGroups({ client }, { Filters }))
      found.push(...(page.SecurityGroups ?? []).map(({ GroupId = "" }) => GroupId));
  }
  return found;
}

async function listElsewhere(api: AwsApi, { key, value }: { key: string; value: string }): Promise<TaggedResource[]> {
  return api.call("list tagged resources", async (clients) => {
    const { paginateGetResources } = await import("@aws-sdk/client-resource-groups-tagging-api");
    const found: TaggedResource[] = [];
    const filter = { TagFilters: [{ Key: key, Values: [value] }] };
    for await (const page of paginateGetResources({ client: await clients.tagging() }, filter)) {
      for (const { ResourceARN = "", Tags = [] } of page.ResourceTagMappingList ?? []) {
        const resource = readArn(ResourceARN);
        if (resource === undefined) continue;
        found.push({ ...resource, tags: Object.fromEntries(Tags.map(({ Key = "", Value = "" }) => [Key, Value])), names: [] });
      }
    }
    return found;
  });
}

// The tagging API does not list IAM roles. Candidates are found by name, which contains the last characters of the entity's uid.
async function listRoles(api: AwsApi, { key, value }: { key: string; value: string }): Promise<TaggedResource[]> {
  const suffix = value.replaceAll("-", "").slice(-8);
  return api.call("list the roles", async (clients) => {
    const { ListRoleTagsCommand, paginateListRoles } = await import("@aws-sdk/client-iam");
    const client = await clients.iam();
    const found: TaggedResource[] = [];
    for await (const { Roles = [] } of paginateListRoles({ client }, {})) {
      for (const { RoleName: id = "" } of Roles.filter(({ RoleName = "" }) => RoleName.includes(suffix))) {
        const { Tags = [] } = await client.send(new ListRoleTagsCommand({ RoleName: id }));
        const tags = Object.fromEntries(Tags.map(({ Key = "", Value = "" }) => [Key, Value]));
        if (tags[key] === value) found.push({ type: "aws_iam_role", id, tags, names: [] });
      }
    }
    return found;
  });
}

// Routes and route table associations have no tags, so they are found through their route tables. The import ID of an association combines
// the subnet and the route table.
async function listInRouteTables(api: AwsApi, resources: readonly TaggedResource[]): Promise<TaggedResource[]> {
  const tables = resources.filter(({ type }) => type === "aws_route_table").map(({ id }) => id);
  if (tables.length === 0) return [];
  return api.call("list the route tables", async (clients) => {
    const { paginateDescribeRouteTables } = await import("@aws-sdk/client-ec2");
    const found: TaggedResource[] = [];
    // The tags of a route table can outlive it for a while. A filter ignores a deleted route table, but a call with `RouteTableIds` would
    // fail.
    const filter = { Filters: [{ Name: "route-table-id", Values: tables }] };
    for await (const page of paginateDescribeRouteTables({ client: await clients.ec2() }, filter)) {
      for (const { Associations = [], Routes = [], RouteTableId = "" } of page.RouteTables ?? []) {
        found.push(...Routes.filter(({ Origin }) => Origin === "CreateRoute").map((route) => describeRoute(RouteTableId, route)));
        for (const { SubnetId, RouteTableAssociationId: id } of Associations) {
          if (SubnetId === undefined || id === undefined) continue;
          const importId = `${SubnetId}/${RouteTableId}`;
          found.push({ type: "aws_route_table_association", id, importId, tags: {}, names: [SubnetId, RouteTableId] });
        }
      }
    }
    return found;
  });
}

// Terraform's id contains a checksum of the destination. `names` contains the route's target, which shows whether the route leads to a
// gateway of the same owner.
function describeRoute(tableId: string, route: Route): TaggedResource {
  const { DestinationCidrBlock, DestinationIpv6CidrBlock, DestinationPrefixListId, State = "" } = route;
  const destination = DestinationCidrBlock ?? DestinationIpv6CidrBlock ?? DestinationPrefixListId ?? "";
  const target = route.GatewayId ?? route.NatGatewayId ?? route.EgressOnlyInternetGatewayId ?? "";
  return {
    type: "aws_route",
    id: `r-${tableId}${crc32(destination)}`,
    importId: `${tableId}_${destination}`,
    tags: {},
    names: [tableId, destination, target, State],
  };
}

// Secondary address ranges have no tags, so they are found through their VPC. The primary range is part of the VPC itself.
async function listRanges(api: AwsApi, resources: readonly TaggedResource[]): Promise<TaggedResource[]> {
  const ids = resources.filter(({ type }) => type === "aws_vpc").map(({ id }) => id);
  if (ids.length === 0) return [];
  return api.call("list the VPCs", async (clients) => {
    const { DescribeVpcsCommand } = await import("@aws-sdk/client-ec2");
    // The tags of a VPC can outlive it for a while. A filter ignores a deleted VPC, but a call with `VpcIds` would fail.
    const filter = { Filters: [{ Name: "vpc-id", Values: ids }] };
    const { Vpcs = [] } = await (await clients.ec2()).send(new DescribeVpcsCommand(filter));
    return Vpcs.flatMap(({ VpcId = "", CidrBlock, CidrBlockAssociationSet = [] }) =>
      CidrBlockAssociationSet.flatMap(({ AssociationId: id, CidrBlock: range = "", CidrBlockState }) =>
        id === undefined || range === CidrBlock || CidrBlockState?.State === "disassociated"
          ? []
          : [{ type: "aws_vpc_ipv4_cidr_block_association", id, tags: {}, names: [VpcId, range] }],
      ),
    );
  });
}
