import { createUid } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import type { Change, HookContext, Problem, ProviderDefinition, ResourceHooks } from "../provider/definition.ts";
import { parseSchema } from "../schema/compact-schema.ts";
import { isList, isMap, type Value, type ValueMap } from "../values/value.ts";
import schema from "./schema.json" with { type: "json" };

/** The attribute by which each type lies in another, which must be there before it and cannot go before it. */
const within: Readonly<Record<string, readonly (readonly [attribute: string, type: string])[]>> = {
  aws_subnet: [["vpc_id", "aws_vpc"]],
  aws_internet_gateway: [["vpc_id", "aws_vpc"]],
  aws_route_table: [["vpc_id", "aws_vpc"]],
  aws_nat_gateway: [
    ["subnet_id", "aws_subnet"],
    ["allocation_id", "aws_eip"],
  ],
  aws_route_table_association: [
    ["subnet_id", "aws_subnet"],
    ["route_table_id", "aws_route_table"],
  ],
};

const vpc = createHooks("aws_vpc", "vpc", {
  forceNew: ["cidr_block", "instance_tenancy"],
  defaults: {
    enable_dns_support: true,
    enable_dns_hostnames: false,
    enable_network_address_usage_metrics: false,
    instance_tenancy: "default",
    assign_generated_ipv6_cidr_block: false,
    ipv6_cidr_block: "",
  },
});

const subnet = createHooks("aws_subnet", "subnet", {
  forceNew: ["vpc_id", "cidr_block", "availability_zone"],
  defaults: {
    map_public_ip_on_launch: false,
    assign_ipv6_address_on_creation: false,
    enable_dns64: false,
    private_dns_hostname_type_on_launch: "ip-name",
    ipv6_cidr_block: "",
  },
  async check({ operation, planned }, context) {
    if (operation !== "create") return [];
    const twins = (await context.list("aws_subnet")).filter(
      ({ attributes }) => attributes["vpc_id"] === planned?.["vpc_id"] && attributes["cidr_block"] === planned?.["cidr_block"],
    );
    return twins.map(({ id }) => ({ summary: "InvalidSubnet.Conflict", detail: `${id} has this range`, path: ["cidr_block"] }));
  },
});

const association: ResourceHooks = {
  forceNew: ["subnet_id", "gateway_id", "route_table_id"],
  // The id under which it is imported, so that no subnet is associated twice with the same table.
  createId: (planned) => `${textOf(planned["subnet_id"])}/${textOf(planned["route_table_id"])}`,
  check: (change, context) => checkPlaces("aws_route_table_association", change, context),
  compute: (_change, context) => ({ region: regionOf(context) }),
};

/** AWS as far as networks go: ids, names and refusals are like the real ones, what it costs is nothing. */
export const awsProvider: ProviderDefinition = {
  name: "aws",
  schema: parseSchema(schema),
  legacyTypeSystem: true,
  resources: {
    aws_vpc: vpc,
    aws_subnet: subnet,
    aws_internet_gateway: createHooks("aws_internet_gateway", "igw"),
    aws_route_table: createHooks("aws_route_table", "rtb", { forceNew: ["vpc_id"] }),
    aws_route_table_association: association,
    aws_eip: createHooks("aws_eip", "eipalloc", { defaults: { domain: "vpc" } }),
    aws_nat_gateway: createHooks("aws_nat_gateway", "nat", {
      forceNew: ["subnet_id", "allocation_id"],
      defaults: { connectivity_type: "public" },
    }),
  },
};

function createHooks(type: string, prefix: string, hooks: ResourceHooks = {}): ResourceHooks {
  return {
    ...hooks,
    recompute: { tags_all: ["tags"] },
    createId: (_planned, { nowMs }) => `${prefix}-${createUid(nowMs).replaceAll("-", "").slice(-17)}`,
    check: async (change, context) => [
      ...(await checkPlaces(type, change, context)),
      ...((await hooks.check?.(change, context)) ?? []),
    ],
    compute: ({ id, planned }, context) => {
      const owner = String(BigInt(`0x${hash(context.tenant).slice(0, 14)}`) % 1_000_000_000_000n).padStart(12, "0");
      const region = regionOf(context);
      const word = type.slice("aws_".length).replaceAll("_", "-");
      const zone = planned?.["availability_zone"];
      return {
        region,
        owner_id: owner,
        arn: `arn:aws:ec2:${region}:${owner}:${word}/${id}`,
        tags_all: { ...defaultTags(context), ...mapOf(planned?.["tags"]) },
        ...(type === "aws_eip" ? { allocation_id: id } : {}),
        ...(typeof zone === "string" ? { availability_zone_id: `sim-az${zone.slice(-1)}` } : {}),
      };
    },
  };
}

async function checkPlaces(type: string, { operation, id, planned }: Change, context: HookContext): Promise<readonly Problem[]> {
  if (operation === "delete") return findHeld(type, id, context);
  const problems: Problem[] = [];
  for (const [attribute, parent] of within[type] ?? []) {
    const wanted = planned?.[attribute];
    if (typeof wanted !== "string" || wanted === "") continue;
    if ((await context.find({ type: parent, id: wanted })) === undefined) {
      problems.push({ summary: `There is no ${parent} ${wanted}`, path: [attribute] });
    }
  }
  return problems;
}

async function findHeld(type: string, id: string, context: HookContext): Promise<readonly Problem[]> {
  for (const [child, places] of Object.entries(within)) {
    for (const [attribute] of places.filter(([, parent]) => parent === type)) {
      const held = (await context.list(child)).find(({ attributes }) => attributes[attribute] === id);
      if (held !== undefined)
        return [{ summary: `DependencyViolation: ${id} has dependencies and cannot be deleted (${held.id})` }];
    }
  }
  return [];
}

function defaultTags({ provider }: HookContext): ValueMap {
  const blocks = provider["default_tags"];
  return mapOf(mapOf(isList(blocks) ? blocks[0] : undefined)["tags"]);
}

function regionOf({ provider }: HookContext): string {
  return textOf(provider["region"]) || "us-east-1";
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function mapOf(value: Value | undefined): ValueMap {
  return isMap(value) ? value : {};
}

function textOf(value: Value | undefined): string {
  return typeof value === "string" ? value : "";
}
