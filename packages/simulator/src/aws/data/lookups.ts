import { findRegion } from "../../cloud/regions.ts";
import type { DataSourceHooks } from "../../provider/definition.ts";
import type { CloudRecord } from "../../inventory/inventory.ts";
import { hash, placeOf } from "../place.ts";
import { mapOf, textOf } from "../../values/read-value.ts";
import { listInstanceTypes } from "../ec2/instance-types.ts";
import { listTagFacts, matchesFilters, matchesTags, type FilterFacts } from "./filters.ts";

const vpc: DataSourceHooks = {
  read: async (config, context) => {
    const { region } = placeOf(context, config);
    const found = (await context.list("aws_vpc")).filter(({ id, attributes }) => {
      const facts = {
        ...tagFactsOf(attributes),
        "vpc-id": [id],
        cidr: [textOf(attributes["cidr_block"])],
        "cidr-block-association.cidr-block": [textOf(attributes["cidr_block"])],
        "is-default": ["false"],
        state: ["available"],
      };
      const [wantedId, wantedRange] = [textOf(config["id"]), textOf(config["cidr_block"])];
      return (
        attributes["region"] === region &&
        config["default"] !== true &&
        (wantedId === "" || wantedId === id) &&
        (wantedRange === "" || wantedRange === attributes["cidr_block"]) &&
        matchesTags(config, mapOf(attributes["tags_all"])) &&
        matchesFilters(config, facts)
      );
    });
    const [only] = found;
    if (only === undefined || found.length > 1) {
      return [
        {
          summary:
            found.length === 0
              ? "no matching EC2 VPC found"
              : "multiple EC2 VPCs matched; use additional constraints to reduce matches to a single EC2 VPC",
        },
      ];
    }
    const range = textOf(only.attributes["cidr_block"]);
    const association = {
      association_id: `vpc-cidr-assoc-${hash(only.id).slice(0, 17)}`,
      cidr_block: range,
      state: "associated",
    };
    return {
      ...only.attributes,
      default: false,
      state: "available",
      cidr_block_associations: [association],
      ipv6_cidr_block_associations: [],
      tags: mapOf(only.attributes["tags_all"]),
    };
  },
};

const subnets: DataSourceHooks = {
  read: async (config, context) => {
    const { region } = placeOf(context, config);
    const found = (await context.list("aws_subnet")).filter(
      (record) =>
        record.attributes["region"] === region &&
        matchesTags(config, mapOf(record.attributes["tags_all"])) &&
        matchesFilters(config, subnetFacts(record)),
    );
    return { id: region, ids: found.map(({ id }) => id), tags: mapOf(config["tags"]) };
  },
};

function subnetFacts({ id, attributes }: CloudRecord): FilterFacts {
  return {
    ...tagFactsOf(attributes),
    "subnet-id": [id],
    "vpc-id": [textOf(attributes["vpc_id"])],
    "availability-zone": [textOf(attributes["availability_zone"])],
    "availability-zone-id": [textOf(attributes["availability_zone_id"])],
    "cidr-block": [textOf(attributes["cidr_block"])],
    "map-public-ip-on-launch": [attributes["map_public_ip_on_launch"] === true ? "true" : "false"],
    "default-for-az": ["false"],
    state: ["available"],
  };
}

function tagFactsOf(attributes: CloudRecord["attributes"]): FilterFacts {
  return listTagFacts(mapOf(attributes["tags_all"]));
}

const bucket: DataSourceHooks = {
  read: async (config, context) => {
    const id = textOf(config["bucket"]);
    const found = await context.find({ type: "aws_s3_bucket", id });
    return found?.attributes ?? [{ summary: `reading S3 Bucket (${id}): couldn't find resource` }];
  },
};

const instances: DataSourceHooks = {
  read: async (config, context) => {
    const found = (await context.list("aws_instance")).filter(({ id, attributes }) =>
      matchesFilters(config, {
        ...tagFactsOf(attributes),
        "instance-id": [id],
        "instance-type": [textOf(attributes["instance_type"])],
        "instance-state-name": [textOf(attributes["instance_state"])],
        "subnet-id": [textOf(attributes["subnet_id"])],
      }),
    );
    const texts = (name: string): readonly string[] =>
      found.map(({ attributes }) => textOf(attributes[name])).filter((text) => text !== "");
    return {
      id: placeOf(context, config).region,
      ids: found.map(({ id }) => id),
      private_ips: texts("private_ip"),
      public_ips: texts("public_ip"),
      ipv6_addresses: [],
      instance_tags: mapOf(config["instance_tags"]),
    };
  },
};

const instanceTypes: DataSourceHooks = {
  read: (config, context) => {
    const found = listInstanceTypes().filter(({ name, architecture, vcpus, memoryMiB }) =>
      matchesFilters(config, {
        "instance-type": [name],
        "processor-info.supported-architecture": [architecture],
        "vcpu-info.default-vcpus": [String(vcpus)],
        "memory-info.size-in-mib": [String(memoryMiB)],
        "current-generation": ["true"],
        "bare-metal": [String(name.endsWith(".metal"))],
        "burstable-performance-supported": [String(name.startsWith("t"))],
      }),
    );
    return { id: placeOf(context, config).region, instance_types: found.map(({ name }) => name) };
  },
};

const offerings: DataSourceHooks = {
  read: (config, context) => {
    const { region } = placeOf(context, config);
    const kind = textOf(config["location_type"]) || "region";
    const places = kind === "availability-zone" ? (findRegion("aws", region)?.zones ?? []) : [region];
    const found = places.flatMap((location) =>
      listInstanceTypes()
        .filter(({ name }) => matchesFilters(config, { "instance-type": [name], location: [location] }))
        .map(({ name }) => ({ name, location })),
    );
    return {
      id: region,
      instance_types: found.map(({ name }) => name),
      locations: found.map(({ location }) => location),
      location_types: found.map(() => kind),
    };
  },
};

/** The data sources that find existing resources by their properties. */
export const lookups = {
  aws_vpc: vpc,
  aws_subnets: subnets,
  aws_s3_bucket: bucket,
  aws_instances: instances,
  aws_ec2_instance_types: instanceTypes,
  aws_ec2_instance_type_offerings: offerings,
} as const;
