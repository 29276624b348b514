import type { SimulatedAccount } from "../../cloud/simulated-cloud.ts";
import { changeRecord, type Inventory } from "../../inventory/inventory.ts";
import { textOf } from "../../values/read-value.ts";
import { countNodes } from "./pool-sizes.ts";
import { tagsOf } from "./record-tags.ts";

/** The public address from which users of the simulated cloud reach their clusters. It belongs to a range reserved for documentation. */
const simulatedAddress = "198.51.100.1";

/** Creates the operations on simulated GKE clusters that Terraform does not offer. */
export function createClusterControl(inventory: Inventory, tenant: string): SimulatedAccount["clusters"] {
  return {
    findAddress: async () => simulatedAddress,
    findPrincipal: async () => "cloudwright@simulated.iam.gserviceaccount.com",
    async countNodes(cluster) {
      const counts: Record<string, number> = {};
      for (const record of await inventory.list(tenant, "google_container_node_pool")) {
        const { attributes } = record;
        // Each of the platform's node pools consists of one GKE node pool per zone, tagged `pool/NAME/ZONE`.
        const [, pool] = /^pool\/([^/]+)/.exec(tagsOf(record)["cloudwright:part"] ?? "") ?? [];
        const owner = textOf(attributes["cluster"]);
        if (pool === undefined || owner.slice(owner.lastIndexOf("/") + 1) !== cluster) continue;
        counts[pool] = (counts[pool] ?? 0) + countNodes(attributes);
      }
      return counts;
    },
    async unprotect(cluster) {
      const clusters = await inventory.list(tenant, "google_container_cluster");
      for (const { type, id } of clusters.filter(({ attributes }) => attributes["name"] === cluster))
        await changeRecord(inventory, tenant, { type, id }, { deletion_protection: false });
    },
  };
}
