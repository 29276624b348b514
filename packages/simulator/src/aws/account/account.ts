import { getCloud } from "@cloudwright/contract/clouds";
import { readConditions } from "../../cloud/conditions.ts";
import { listQuotas } from "../../cloud/quotas.ts";
import { findRegion } from "../../cloud/regions.ts";
import type { AccountPlace, Owned, SimulatedAccount } from "../../cloud/simulated-cloud.ts";
import type { CloudRecord } from "../../inventory/inventory.ts";
import { isPublishedImage } from "../api/ec2/images.ts";
import { findInstanceType } from "../ec2/instance-types.ts";
import { offeredVersions } from "../eks/versions.ts";
import { countObjects } from "../s3/count-objects.ts";
import { snapshotVolume } from "./final-snapshot.ts";
import { createClusterControl } from "./clusters.ts";
import { createLeftovers } from "./leftovers.ts";

/** Opens a simulated AWS account in one region. */
export function openAwsAccount({ inventory, tenant, region }: AccountPlace): SimulatedAccount {
  const list = async (type: string): Promise<CloudRecord[]> =>
    (await inventory.list(tenant, type)).filter(({ attributes }) => (attributes["region"] ?? region) === region);
  const zones = findRegion("aws", region)?.zones ?? [];
  return {
    listZones: async () => zones,
    async getLimits() {
      const quotas = listQuotas(await readConditions(inventory, tenant));
      const limit = (name: string): number => quotas[name] ?? Number.POSITIVE_INFINITY;
      return {
        networks: limit("vpcs-per-region"),
        publicIps: limit("elastic-ips-per-region"),
        natGatewaysPerZone: limit("nat-gateways-per-zone"),
        internetGateways: limit("internet-gateways-per-region"),
        vcpus: limit("vcpus-per-region"),
      };
    },
    async findUsage(quota) {
      const quotas = listQuotas(await readConditions(inventory, tenant));
      const limit = (name: string): number => quotas[name] ?? Number.POSITIVE_INFINITY;
      if (quota === "securityGroups")
        return { limit: limit("security-groups-per-region"), used: (await list("aws_security_group")).length };
      if (quota === "rulesPerGroup") return { limit: limit("rules-per-security-group"), used: 0 };
      if (quota === "groupsPerMachine") return { limit: limit("security-groups-per-interface"), used: 0 };
      if (quota !== "ssdGiB") return undefined;
      const volumes = await list("aws_ebs_volume");
      const used = volumes.reduce((sum, { attributes }) => sum + Number(attributes["size"] ?? 0), 0);
      return { limit: limit("volume-tib-per-region") * 1024, used };
    },
    listNetworks: async () =>
      (await list("aws_vpc")).map((vpc) => ({ id: vpc.id, ranges: [textOf(vpc, "cidr_block")], ...ownerOf(vpc) })),
    listPublicIps: async () => (await list("aws_eip")).map(ownerOf),
    async listNatGateways() {
      const subnets = new Map((await list("aws_subnet")).map((subnet) => [subnet.id, textOf(subnet, "availability_zone")]));
      return (await list("aws_nat_gateway")).map((nat) => ({
        zone: subnets.get(textOf(nat, "subnet_id")) ?? "",
        ...ownerOf(nat),
      }));
    },
    listInternetGateways: async () => (await list("aws_internet_gateway")).map(ownerOf),
    listMachines: async () => (await list("aws_eks_node_group")).map(countGroup),
    listOffered: async (types) =>
      [...new Set(types)].flatMap((name) => {
        const found = findInstanceType(name);
        return found === undefined ? [] : [{ name, vcpus: found.vcpus, zones, isCommon: /^([acdhimrtz]|im|is)\d/.test(name) }];
      }),
    hasImage: async (image) => !image.startsWith("ami-") || isPublishedImage(region, image),
    listVersions: async () => offeredVersions.map(({ version }) => version),
    async findCluster(name) {
      const found = (await list("aws_eks_cluster")).find((cluster) => textOf(cluster, "name") === name);
      return found === undefined ? undefined : ownerOf(found);
    },
    async findBucket(id) {
      const found = await inventory.find(tenant, { type: "aws_s3_bucket", id });
      return found === undefined ? undefined : ownerOf(found);
    },
    countObjects: async (id) =>
      countObjects(await inventory.find(tenant, { type: "aws_s3_bucket", id }), await inventory.list(tenant, "aws_s3_object")),
    snapshotVolume: (volumeId, snapshot) => snapshotVolume(inventory, tenant, volumeId, snapshot),
    ...createLeftovers(inventory, tenant),
    clusters: createClusterControl(inventory, tenant, region),
  };
}

function countGroup(group: CloudRecord): Owned & { readonly vcpus: number } {
  const { instance_types: types, scaling_config: scaling } = group.attributes as {
    readonly instance_types?: readonly string[] | null;
    readonly scaling_config?: readonly { readonly desired_size?: number }[];
  };
  const vcpus = findInstanceType(types?.[0] ?? getCloud("aws").machines.defaultType)?.vcpus ?? 2;
  return { vcpus: vcpus * (scaling?.[0]?.desired_size ?? 0), ...ownerOf(group) };
}

function textOf({ attributes }: CloudRecord, name: string): string {
  return typeof attributes[name] === "string" ? attributes[name] : "";
}

function ownerOf({ attributes }: CloudRecord): Owned {
  const { tags } = attributes as { readonly tags?: Readonly<Record<string, unknown>> | null };
  const owner = tags?.["cloudwright:entity"];
  return typeof owner === "string" ? { owner } : {};
}
