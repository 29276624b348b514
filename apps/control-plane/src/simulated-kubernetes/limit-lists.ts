import { apiFaults } from "@cloudwright/api";
import { Fault } from "@cloudwright/platform";
import { clusterRecordTypes, type Inventory } from "@cloudwright/simulator";
import { sizeSimulatedLists, type Pool } from "@cloudwright/store";

/** Largest size of all resources of an account that describe clusters. Reading more would delay the clusters of other accounts. */
const mostBytes = 8 * 1024 * 1024;

const acts = clusterRecordTypes.map((type) => ({ do: "list" as const, type }));

/** Limits an inventory: throws before it lists resources that describe clusters if the account has too many of them. */
export function limitLists({ pool }: { readonly pool: Pool }, inventory: Inventory): Inventory {
  return {
    ...inventory,
    async list(tenant, type) {
      const isLimited = type === undefined || clusterRecordTypes.includes(type);
      if (isLimited && (await sizeSimulatedLists(pool, tenant, acts)) > mostBytes) {
        const message = `the clusters, node pools and subnets of account ${tenant} have more than ${mostBytes / 1024 / 1024} MiB`;
        throw new Fault(apiFaults.simulation_too_large, message);
      }
      return inventory.list(tenant, type);
    },
  };
}
