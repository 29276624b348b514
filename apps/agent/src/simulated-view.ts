import { ownerTag, type AwsView, type Held } from "@cloudwright/clouds";
import type { OpenView } from "@cloudwright/deployer";
import type { AgentConfig } from "@cloudwright/platform";
import {
  findInstanceType,
  findRegion,
  listQuotas,
  offeredVersions,
  readConditions,
  type CloudRecord,
  type Inventory,
} from "@cloudwright/simulator";
import { createSubstances } from "./simulated-cloud.ts";

/** Looks at simulated accounts: at what their clouds hold, offer and allow. */
export function createSimulatedViews(config: Pick<AgentConfig, "directory" | "simulator">): OpenView {
  const open = createSubstances(config);
  return async ({ uid: tenant }, openAccess, { region }) => {
    const { inventory, close } = open(await openAccess());
    return { view: createSimulatedView(inventory, tenant, region), close };
  };
}

/** The view of one simulated account's region. Whoever works there may do everything. */
function createSimulatedView(inventory: Inventory, tenant: string, region: string): AwsView {
  const list = async (type: string): Promise<CloudRecord[]> =>
    (await inventory.list(tenant, type)).filter(({ attributes }) => (attributes["region"] ?? region) === region);
  const text = ({ attributes }: CloudRecord, name: string): string =>
    typeof attributes[name] === "string" ? attributes[name] : "";
  const zones = findRegion("aws", region)?.zones ?? [];
  return {
    getIdentity: async () => ({ accountId: `simulated-${tenant.slice(-12)}`, arn: "simulated" }),
    listDenied: async () => [],
    listZones: async () => zones,
    async getLimits() {
      const quotas = listQuotas(await readConditions(inventory, tenant));
      const limit = (name: string): number => quotas[name] ?? Number.POSITIVE_INFINITY;
      return {
        vpcs: limit("vpcs-per-region"),
        elasticIps: limit("elastic-ips-per-region"),
        natGatewaysPerZone: limit("nat-gateways-per-zone"),
        vcpus: limit("vcpus-per-region"),
      };
    },
    listVpcs: async () =>
      (await list("aws_vpc")).map((vpc) => ({ id: vpc.id, ranges: [text(vpc, "cidr_block")], ...ownerOf(vpc) })),
    listElasticIps: async () => (await list("aws_eip")).map(ownerOf),
    async listNatGateways() {
      const subnets = new Map((await list("aws_subnet")).map((subnet) => [subnet.id, text(subnet, "availability_zone")]));
      return (await list("aws_nat_gateway")).map((nat) => ({ zone: subnets.get(text(nat, "subnet_id")) ?? "", ...ownerOf(nat) }));
    },
    async listMachines() {
      return (await list("aws_eks_node_group")).map((group) => {
        const { instance_types: types, scaling_config: scaling } = group.attributes as {
          readonly instance_types?: readonly string[] | null;
          readonly scaling_config?: readonly { readonly desired_size?: number }[];
        };
        const size = findInstanceType(types?.[0] ?? "t3.medium")?.vcpus ?? 2;
        return { vcpus: size * (scaling?.[0]?.desired_size ?? 0), ...ownerOf(group) };
      });
    },
    listOffered: async (types) =>
      [...new Set(types)].flatMap((type) => {
        const found = findInstanceType(type);
        return found === undefined ? [] : [{ name: type, vcpus: found.vcpus, zones }];
      }),
    listVersions: async () => offeredVersions.map(({ version }) => version),
    async findCluster(name) {
      const found = (await list("aws_eks_cluster")).find((cluster) => text(cluster, "name") === name);
      return found === undefined ? undefined : ownerOf(found);
    },
    async findBucket(name) {
      const found = await inventory.find(tenant, { type: "aws_s3_bucket", id: name });
      return found === undefined ? undefined : ownerOf(found);
    },
  };
}

function ownerOf({ attributes }: CloudRecord): Held {
  const { tags } = attributes as { readonly tags?: Readonly<Record<string, unknown>> | null };
  const owner = tags?.[ownerTag];
  return typeof owner === "string" ? { owner } : {};
}
