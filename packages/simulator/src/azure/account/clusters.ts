import type { SimulatedAccount } from "../../cloud/simulated-cloud.ts";
import type { Inventory } from "../../inventory/inventory.ts";
import { blockOf, mapOf, textOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { countNodes } from "../aks/pools.ts";
import { guid } from "../place.ts";

/** The public address from which users of the simulated cloud reach their clusters. It belongs to a range reserved for documentation. */
const simulatedAddress = "198.51.100.1";

/** Creates the functions for operations on simulated AKS clusters that Terraform cannot perform. */
export function createClusterControl(inventory: Inventory, tenant: string): SimulatedAccount["clusters"] {
  return {
    findAddress: async () => simulatedAddress,
    // The object id that the data source azurerm_client_config also returns.
    findPrincipal: async () => guid(`object ${tenant}`),
    async countNodes(name) {
      const cluster = (await inventory.list(tenant, "azurerm_kubernetes_cluster")).find(
        ({ attributes }) => attributes["name"] === name,
      );
      if (cluster === undefined) return {};
      const all = await inventory.list(tenant, "azurerm_kubernetes_cluster_node_pool");
      const pools = all.filter(({ attributes }) => attributes["kubernetes_cluster_id"] === cluster.id);
      const described = [blockOf(cluster.attributes, "default_node_pool"), ...pools.map(({ attributes }) => attributes)];
      return Object.fromEntries(
        described.flatMap((pool) => {
          const found = findPool(pool);
          return found === undefined ? [] : [[found, countNodes(pool)]];
        }),
      );
    },
    // AKS has no deletion protection.
    unprotect: async () => undefined,
  };
}

/** Returns the name of the node pool that an AKS agent pool belongs to, or undefined if the platform did not create it. */
function findPool(pool: ValueMap): string | undefined {
  return /^pool\/(.+)$/.exec(textOf(mapOf(pool["tags"])["cloudwright:part"]))?.[1];
}
