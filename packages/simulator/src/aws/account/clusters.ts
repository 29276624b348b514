import type { SimulatedAccount } from "../../cloud/simulated-cloud.ts";
import { changeRecord, type Inventory } from "../../inventory/inventory.ts";
import { mapOf, textOf } from "../../values/read-value.ts";
import { nodesOf } from "../eks/clusters.ts";
import { callerOf, placeOf } from "../place.ts";

/** The public address from which users of the simulated cloud reach their clusters. It belongs to a range reserved for documentation. */
const simulatedAddress = "198.51.100.1";

/** Implements the operations on simulated EKS clusters that are not available through Terraform. */
export function createClusterControl(inventory: Inventory, tenant: string, region: string): SimulatedAccount["clusters"] {
  return {
    findAddress: async () => simulatedAddress,
    async findPrincipal(cluster) {
      const caller = callerOf(placeOf({ tenant, provider: { region } }));
      const entry = await inventory.find(tenant, { type: "aws_eks_access_entry", id: `${cluster}:${caller}` });
      // An entry without an ownership tag was created by the simulated EKS.
      const isForeign = entry !== undefined && mapOf(entry.attributes["tags"])["cloudwright:entity"] === undefined;
      return isForeign ? undefined : caller;
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
