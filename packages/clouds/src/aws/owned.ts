import type { AwsApi } from "./api.ts";

/** A thing in an account that carries a tag, by Terraform's names. */
export interface TaggedThing {
  /** `aws_subnet` */
  readonly type: string;
  /** As it stands in a state. */
  readonly id: string;
  /** As it is imported, where that is something else. */
  readonly importId?: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Ids of other things that it names. */
  readonly names: readonly string[];
}

/** What EC2's ids begin with. */
const ec2Types: Readonly<Record<string, string>> = {
  vpc: "aws_vpc",
  subnet: "aws_subnet",
  igw: "aws_internet_gateway",
  nat: "aws_nat_gateway",
  eipalloc: "aws_eip",
  rtb: "aws_route_table",
  acl: "aws_network_acl",
  sg: "aws_security_group",
  vpce: "aws_vpc_endpoint",
  fl: "aws_flow_log",
  lt: "aws_launch_template",
  vol: "aws_ebs_volume",
};

/** What stands behind the service in an ARN, and how its resource is called and imported. */
const arnTypes: readonly { readonly arn: RegExp; readonly type: string; readonly id: (match: string[]) => string }[] = [
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

/** The resource that an ARN stands for; undefined for what no configuration makes. */
export function readArn(arn: string): { readonly type: string; readonly id: string } | undefined {
  for (const { arn: pattern, type, id } of arnTypes) {
    const match = pattern.exec(arn);
    if (match !== null) return { type, id: id(match) };
  }
  return undefined;
}

/** Everything in the account's region, and what it has of no region, that carries the tag; also what no state knows. */
export async function listOwnedThings(
  api: AwsApi,
  tag: { readonly key: string; readonly value: string },
): Promise<TaggedThing[]> {
  const [inEc2, elsewhere, roles] = await Promise.all([listInEc2(api, tag), listElsewhere(api, tag), listRoles(api, tag)]);
  return [...inEc2, ...elsewhere, ...roles, ...(await listAssociations(api, inEc2))];
}

async function listInEc2(api: AwsApi, { key, value }: { key: string; value: string }): Promise<TaggedThing[]> {
  return api.call("list what is tagged", async (clients) => {
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
    // A filter has at most two hundred values.
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
    return [...ids].map(([id, type]) => ({ type, id, tags: tags.get(id) ?? {}, names: [] }));
  });
}

async function listElsewhere(api: AwsApi, { key, value }: { key: string; value: string }): Promise<TaggedThing[]> {
  return api.call("list what is tagged", async (clients) => {
    const { paginateGetResources } = await import("@aws-sdk/client-resource-groups-tagging-api");
    const found: TaggedThing[] = [];
    const filter = { TagFilters: [{ Key: key, Values: [value] }] };
    for await (const page of paginateGetResources({ client: await clients.tagging() }, filter)) {
      for (const { ResourceARN = "", Tags = [] } of page.ResourceTagMappingList ?? []) {
        const thing = readArn(ResourceARN);
        if (thing === undefined) continue;
        found.push({ ...thing, tags: Object.fromEntries(Tags.map(({ Key = "", Value = "" }) => [Key, Value])), names: [] });
      }
    }
    return found;
  });
}

// Roles are not in the tagging API. Ours have the end of their entity's uid in their names.
async function listRoles(api: AwsApi, { key, value }: { key: string; value: string }): Promise<TaggedThing[]> {
  const mark = value.replaceAll("-", "").slice(-8);
  return api.call("list the roles", async (clients) => {
    const { ListRoleTagsCommand, paginateListRoles } = await import("@aws-sdk/client-iam");
    const client = await clients.iam();
    const found: TaggedThing[] = [];
    for await (const { Roles = [] } of paginateListRoles({ client }, {})) {
      for (const { RoleName: id = "" } of Roles.filter(({ RoleName = "" }) => RoleName.includes(mark))) {
        const { Tags = [] } = await client.send(new ListRoleTagsCommand({ RoleName: id }));
        const tags = Object.fromEntries(Tags.map(({ Key = "", Value = "" }) => [Key, Value]));
        if (tags[key] === value) found.push({ type: "aws_iam_role", id, tags, names: [] });
      }
    }
    return found;
  });
}

// They have no tags, go by the subnet that they name, and are imported by both their ends.
async function listAssociations(api: AwsApi, things: readonly TaggedThing[]): Promise<TaggedThing[]> {
  const tables = things.filter(({ type }) => type === "aws_route_table").map(({ id }) => id);
  if (tables.length === 0) return [];
  return api.call("list the route tables", async (clients) => {
    const { paginateDescribeRouteTables } = await import("@aws-sdk/client-ec2");
    const found: TaggedThing[] = [];
    for await (const page of paginateDescribeRouteTables({ client: await clients.ec2() }, { RouteTableIds: tables })) {
      for (const { Associations = [], RouteTableId = "" } of page.RouteTables ?? []) {
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
