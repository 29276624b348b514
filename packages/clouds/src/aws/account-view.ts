import type { Tag } from "@aws-sdk/client-ec2";
import { ownerTag, type AccountIdentity, type AccountLimits, type AccountView, type Held } from "../account-view.ts";
import type { AwsApi } from "./api.ts";
import { hasImage } from "./has-image.ts";
import { countVcpus, listOfferedMachines } from "./machines.ts";
import { findAwsUsage } from "./quota-usage.ts";
import { listDeniedActions } from "./permissions/list-denied.ts";
import { awsFeatures, listActions, type AwsFeature } from "./permissions/features.ts";

// Default quotas for a new account, used when AWS does not report a value.
const granted: AccountLimits = { networks: 5, publicIps: 5, natGatewaysPerZone: 5, internetGateways: 5, vcpus: 5 };
const quotaCodes: Readonly<Record<keyof AccountLimits, readonly [service: string, code: string]>> = {
  networks: ["vpc", "L-F678F1CE"],
  publicIps: ["ec2", "L-0263D0A3"],
  natGatewaysPerZone: ["vpc", "L-FE5A380F"],
  internetGateways: ["vpc", "L-A4707A72"],
  vcpus: ["ec2", "L-1216C47A"],
};

/** Creates the view of a real AWS account. */
export function createAwsView(api: AwsApi, getIdentity: () => Promise<AccountIdentity>): AccountView {
  return {
    getIdentity,
    listDenied: async (feature) =>
      isFeature(feature) ? listDeniedActions(api, (await getIdentity()).identity, listActions(feature)) : undefined,
    listZones: () =>
      api.call(`list the zones of ${api.region}`, async (clients) => {
        const { DescribeAvailabilityZonesCommand } = await import("@aws-sdk/client-ec2");
        const Filters = [{ Name: "zone-type", Values: ["availability-zone"] }];
        const { AvailabilityZones = [] } = await (await clients.ec2()).send(new DescribeAvailabilityZonesCommand({ Filters }));
        return AvailabilityZones.flatMap(({ ZoneName, State }) =>
          ZoneName === undefined || State !== "available" ? [] : [ZoneName],
        );
      }),
    getLimits: () => getLimits(api),
    listNetworks: () =>
      api.call("list the VPCs", async (clients) => {
        const { paginateDescribeVpcs } = await import("@aws-sdk/client-ec2");
        const found = [];
        for await (const { Vpcs = [] } of paginateDescribeVpcs({ client: await clients.ec2() }, {})) {
          for (const { VpcId = "", CidrBlock = "", CidrBlockAssociationSet = [], Tags } of Vpcs) {
            const more = CidrBlockAssociationSet.flatMap(({ CidrBlock: range }) => (range === undefined ? [] : [range]));
            found.push({ id: VpcId, ranges: [...new Set([CidrBlock, ...more])], ...ownerOf(Tags) });
          }
        }
        return found;
      }),
    listPublicIps: () =>
      api.call("list the elastic IPs", async (clients) => {
        const { DescribeAddressesCommand } = await import("@aws-sdk/client-ec2");
        const { Addresses = [] } = await (await clients.ec2()).send(new DescribeAddressesCommand({}));
        return Addresses.map(({ Tags }) => ownerOf(Tags));
      }),
    listNatGateways: () => listNatGateways(api),
    listInternetGateways: () =>
      api.call("list the internet gateways", async (clients) => {
        const { paginateDescribeInternetGateways } = await import("@aws-sdk/client-ec2");
        const found: Held[] = [];
        for await (const { InternetGateways = [] } of paginateDescribeInternetGateways({ client: await clients.ec2() }, {})) {
          found.push(...InternetGateways.map(({ Tags }) => ownerOf(Tags)));
        }
        return found;
      }),
    listMachines: () => countVcpus(api, ownerOf),
    listOffered: (types) => listOfferedMachines(api, types),
    findUsage: (quota) => findAwsUsage(api, quota),
    hasImage: (image, type) => hasImage(api, image, type),
    listVersions: () =>
      api.call("list the Kubernetes versions", async (clients) => {
        const { paginateDescribeClusterVersions } = await import("@aws-sdk/client-eks");
        const found: string[] = [];
        for await (const { clusterVersions = [] } of paginateDescribeClusterVersions({ client: await clients.eks() }, {})) {
          found.push(...clusterVersions.flatMap(({ clusterVersion }) => (clusterVersion === undefined ? [] : [clusterVersion])));
        }
        return found;
      }),
    findCluster: (name) =>
      api.call(`find the cluster ${name}`, async (clients) => {
        const { DescribeClusterCommand } = await import("@aws-sdk/client-eks");
        const { cluster } = await ignoreMissing(
          (await clients.eks()).send(new DescribeClusterCommand({ name })),
          "ResourceNotFoundException",
        );
        const owner = cluster?.tags?.[ownerTag];
        return cluster === undefined ? undefined : owner === undefined ? {} : { owner };
      }),
    findBucket: (name) => findBucket(api, name),
  };
}

function isFeature(feature: string): feature is AwsFeature {
  return (awsFeatures as readonly string[]).includes(feature);
}

async function getLimits(api: AwsApi): Promise<AccountLimits> {
  const read = async ([ServiceCode, QuotaCode]: readonly [string, string]): Promise<number | undefined> =>
    api.call("read the quotas", async (clients) => {
      const { GetServiceQuotaCommand } = await import("@aws-sdk/client-service-quotas");
      const asked = (await clients.quotas()).send(new GetServiceQuotaCommand({ ServiceCode, QuotaCode }));
      // Service Quotas may have no record of a quota that was never raised.
      return (await ignoreMissing(asked, "NoSuchResourceException")).Quota?.Value;
    });
  const entries = Object.entries(quotaCodes) as [keyof AccountLimits, readonly [string, string]][];
  const limits = await Promise.all(entries.map(async ([name, code]) => [name, (await read(code)) ?? granted[name]] as const));
  return Object.fromEntries(limits) as unknown as AccountLimits;
}

async function listNatGateways(api: AwsApi): Promise<(Held & { zone: string })[]> {
  return api.call("list the NAT gateways", async (clients) => {
    const { paginateDescribeNatGateways, paginateDescribeSubnets } = await import("@aws-sdk/client-ec2");
    const client = await clients.ec2();
    const gateways: { subnet: string; held: Held }[] = [];
    const Filter = [{ Name: "state", Values: ["pending", "available"] }];
    for await (const { NatGateways = [] } of paginateDescribeNatGateways({ client }, { Filter })) {
      gateways.push(...NatGateways.map(({ SubnetId = "", Tags }) => ({ subnet: SubnetId, held: ownerOf(Tags) })));
    }
    const zones = new Map<string, string>();
    if (gateways.length > 0) {
      for await (const { Subnets = [] } of paginateDescribeSubnets({ client }, {})) {
        for (const { SubnetId = "", AvailabilityZone = "" } of Subnets) zones.set(SubnetId, AvailabilityZone);
      }
    }
    return gateways.map(({ subnet, held }) => ({ zone: zones.get(subnet) ?? "", ...held }));
  });
}

async function findBucket(api: AwsApi, name: string): Promise<Held | undefined> {
  return api.call(`find the bucket ${name}`, async (clients) => {
    const { GetBucketTaggingCommand, HeadBucketCommand } = await import("@aws-sdk/client-s3");
    const client = await clients.s3();
    try {
      await client.send(new HeadBucketCommand({ Bucket: name }));
    } catch (error) {
      const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } };
      if ($metadata?.httpStatusCode === 404) return undefined;
      // The bucket belongs to another customer. AWS reveals only that it exists.
      if ($metadata?.httpStatusCode === 403 || $metadata?.httpStatusCode === 301) return {};
      throw error;
    }
    const { TagSet } = await ignoreMissing(client.send(new GetBucketTaggingCommand({ Bucket: name })), "NoSuchTagSet");
    return ownerOf(TagSet);
  });
}

function ownerOf(tags: readonly Tag[] | undefined): Held {
  const owner = tags?.find(({ Key }) => Key === ownerTag)?.Value;
  return owner === undefined ? {} : { owner };
}

async function ignoreMissing<Answer extends object>(asked: Promise<Answer>, name: string): Promise<Partial<Answer>> {
  try {
    return await asked;
  } catch (error) {
    if ((error as { readonly name?: string }).name === name) return {};
    throw error;
  }
}
