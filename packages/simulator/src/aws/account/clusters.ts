import type { SimulatedAccount } from "../../cloud/simulated-cloud.ts";
import { changeRecord, type Inventory } from "../../inventory/inventory.ts";
import { mapOf, textOf } from "../../values/read-value.ts";
import { nodesOf, refusedZoneIds } from "../eks/clusters.ts";
import { callerOf, placeOf } from "../place.ts";

/** The public address from which users of the simulated cloud reach their clusters. It belongs to a range reserved for documentation. */
const simulatedAddress = "198.51.100.1";

/** Implements the operations on simulated EKS clusters that are not available through Terraform. */
export function createClusterControl(inventory: Inventory, tenant: string, region: string): SimulatedAccount["clusters"] {
  const caller = callerOf(placeOf({ tenant, provider: { region } }));
  const findEntry = async (cluster: string): Promise<"configuration" | "cloud" | "none"> => {
    const entry = await inventory.find(tenant, { type: "aws_eks_access_entry", id: `${cluster}:${caller}` });
    if (entry === undefined) return "none";
    // An entry without an ownership tag was created by the simulated EKS.
    return mapOf(entry.attributes["tags"])["cloudwright:entity"] === undefined ? "cloud" : "configuration";
  };
  return {
    findAddress: async () => simulatedAddress,
    findPrincipal: async (cluster) => ((await findEntry(cluster)) === "cloud" ? undefined : caller),
    async findBuiltInAccess(cluster) {
      const entry = await findEntry(cluster);
      if (entry !== "none") return entry === "cloud" ? caller : undefined;
      return (await inventory.find(tenant, { type: "aws_eks_cluster", id: cluster })) === undefined ? caller : undefined;
    },
    async listRefusedSubnets(subnetIds) {
      const subnets = await inventory.list(tenant, "aws_subnet");
      return subnets
        .filter(({ id, attributes }) => subnetIds.includes(id) && refusedZoneIds.has(textOf(attributes["availability_zone_id"])))
        .map(({ id }) => id);
    },
    async countNodes(cluster) {
      const groups = await inventory.list(tenant, "aws_eks_node_group");
      return Object.fromEntries(
        groups.flatMap(({ attributes }) => {
          const [, pool] = /^pool\/(.+)$/.exec(textOf(mapOf(attributes["tags"])["cloudwright:part"])) ?? [];
          return attributes["cluster_name"] === cluster && pool !== undefined ? [[pool, nodesOf(attributes)]] : [];
        }),
      );
    },
    unprotect: async (id) =>
      void (await changeRecord(inventory, tenant, { type: "aws_eks_cluster", id }, { deletion_protection: false })),
  };
}
