import { createHash } from "node:crypto";
import { listQuotas } from "../../cloud/quotas.ts";
import { findRegion, listRegions } from "../../cloud/regions.ts";
import type { DataSourceHooks } from "../../provider/definition.ts";
import { isList } from "../../values/value.ts";
import { arnOf, callerOf, hash, placeOf } from "../place.ts";
import { textOf } from "../../values/read-value.ts";
import { zoneIdOf } from "../ec2/vpc.ts";
import { describeRefusal } from "../refusal.ts";
import { matchesFilters } from "./filters.ts";

const callerIdentity: DataSourceHooks = {
  read: (_config, context) => {
    const place = placeOf(context);
    return {
      id: place.account,
      account_id: place.account,
      arn: callerOf(place),
      user_id: `AIDA${hash(place.account).slice(0, 17).toUpperCase()}`,
    };
  },
};

const partition: DataSourceHooks = {
  read: (_config, context) => {
    const { partition: name, suffix } = placeOf(context);
    return { id: name, partition: name, dns_suffix: suffix, reverse_dns_prefix: suffix.split(".").toReversed().join(".") };
  },
};

const region: DataSourceHooks = {
  read: (config, context) => {
    const place = placeOf(context, config);
    const name = textOf(config["name"]) || place.region;
    if (!listRegions("aws").includes(name))
      return [{ summary: `finding Region using the specified filters: no match for ${name}` }];
    return { id: name, name, region: name, endpoint: `ec2.${name}.${place.suffix}` };
  },
};

const zones: DataSourceHooks = {
  read: (config, context) => {
    const place = placeOf(context, config);
    const all = findRegion("aws", place.region)?.zones ?? [];
    const left = new Set(isList(config["exclude_names"]) ? config["exclude_names"] : []);
    const leftIds = new Set(isList(config["exclude_zone_ids"]) ? config["exclude_zone_ids"] : []);
    const names = all.filter((zone) => {
      const id = zoneIdOf(place.region, zone);
      const facts = { "zone-name": [zone], "zone-id": [id], "opt-in-status": ["opt-in-not-required"], state: ["available"] };
      return !left.has(zone) && !leftIds.has(id) && matchesFilters(config, facts);
    });
    return {
      id: place.region,
      names,
      zone_ids: names.map((zone) => zoneIdOf(place.region, zone)),
      group_names: names.length === 0 ? [] : [`${place.region}-zg-1`],
    };
  },
};

/** Maps Service Quotas codes to the simulator's quotas. */
const quotaCodes: Readonly<Record<string, readonly [service: string, name: string, quota: string]>> = {
  "L-F678F1CE": ["vpc", "VPCs per Region", "vpcs-per-region"],
  "L-0263D0A3": ["ec2", "EC2-VPC Elastic IPs", "elastic-ips-per-region"],
  "L-FE5A380F": ["vpc", "NAT gateways per Availability Zone", "nat-gateways-per-zone"],
  "L-A4707A72": ["vpc", "Internet gateways per Region", "internet-gateways-per-region"],
  "L-407747CB": ["vpc", "Subnets per VPC", "subnets-per-vpc"],
  "L-E79EC296": ["vpc", "VPC security groups per Region", "security-groups-per-region"],
  "L-0EA8095F": ["vpc", "Inbound or outbound rules per security group", "rules-per-security-group"],
  "L-1216C47A": ["ec2", "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", "vcpus-per-region"],
  "L-1194D53C": ["eks", "Clusters", "clusters-per-region"],
  "L-6D54EA21": ["eks", "Managed node groups per cluster", "node-groups-per-cluster"],
  "L-BD136A63": ["eks", "Nodes per managed node group", "nodes-per-node-group"],
  "L-FE177D64": ["iam", "Roles per account", "roles"],
  "L-DC2B2D3D": ["s3", "General purpose buckets", "buckets"],
};

const serviceQuota: DataSourceHooks = {
  read: (config, context) => {
    const place = placeOf(context, config);
    const service = textOf(config["service_code"]);
    const found = Object.entries(quotaCodes).find(
      ([code, [of, name]]) => of === service && (code === config["quota_code"] || name === config["quota_name"]),
    );
    if (found === undefined) {
      const asked = { service: "Service Quotas", noun: "Service Quota", call: "GetServiceQuota", operation: "reading" } as const;
      return [
        describeRefusal(
          asked,
          {
            code: "NoSuchResourceException",
            message: "The request failed because the specified quota does not exist.",
            status: 404,
          },
          context.nowMs,
        ),
      ];
    }
    const [code, [of, name, quota]] = found;
    return {
      id: `${of}/${code}`,
      arn: arnOf(place, "servicequotas", `${of}/${code}`),
      service_code: of,
      service_name: of.toUpperCase(),
      quota_code: code,
      quota_name: name,
      adjustable: true,
      global_quota: of === "iam",
      default_value: listQuotas({ quotas: {} })[quota] ?? 0,
      value: listQuotas(context.conditions)[quota] ?? 0,
      usage_metric: [],
    };
  },
};

const parameter: DataSourceHooks = {
  read: async (config, context) => {
    const place = placeOf(context, config);
    const name = textOf(config["name"]);
    const own = await context.find({ type: "aws_ssm_parameter", id: name });
    const published = /^\/aws\/service\/(eks|bottlerocket|ami-amazon-linux-latest)\//.test(name);
    if (own === undefined && !published) {
      const asked = { service: "SSM", noun: "Parameter", call: "GetParameter", operation: "reading", label: name } as const;
      return [describeRefusal(asked, { code: "ParameterNotFound", message: "" }, context.nowMs)];
    }
    const isVersion = name.endsWith("release_version") || name.endsWith("image_version");
    const value =
      textOf(own?.attributes["value"]) || (isVersion ? "1.50.0" : `ami-${hash(`${place.region} ${name}`).slice(0, 17)}`);
    return {
      id: name,
      name,
      arn: arnOf(place, "ssm", `parameter${name.startsWith("/") ? "" : "/"}${name}`),
      type: "String",
      value,
      insecure_value: value,
      version: 1,
    };
  },
};

const image: DataSourceHooks = {
  read: (config, context) => {
    const place = placeOf(context, config);
    const wanted = JSON.stringify([config["filter"], config["name_regex"] ?? "", config["owners"] ?? []]);
    const id = `ami-${createHash("sha256").update(`${place.region} ${wanted}`).digest("hex").slice(0, 17)}`;
    const architecture = /arm64|aarch64/.test(wanted) ? "arm64" : "x86_64";
    const name = /bottlerocket/.test(wanted) ? `bottlerocket-aws-k8s-${architecture}-v1.50.0` : `al2023-ami-2023-${architecture}`;
    return {
      id,
      image_id: id,
      name,
      arn: `arn:${place.partition}:ec2:${place.region}::image/${id}`,
      architecture,
      creation_date: "2026-11-01T00:00:00.000Z",
      hypervisor: "xen",
      image_type: "machine",
      image_owner_alias: "amazon",
      imds_support: "v2.0",
      owner_id: "137112412989",
      public: true,
      root_device_name: "/dev/xvda",
      root_device_type: "ebs",
      state: "available",
      virtualization_type: "hvm",
      ena_support: true,
      block_device_mappings: [],
      product_codes: [],
      state_reason: {},
      tags: {},
    };
  },
};

/** Data sources for the caller's identity and for public information such as regions and zones. */
export const identity = {
  aws_caller_identity: callerIdentity,
  aws_partition: partition,
  aws_region: region,
  aws_availability_zones: zones,
  aws_servicequotas_service_quota: serviceQuota,
  aws_ssm_parameter: parameter,
  aws_ami: image,
} as const;
