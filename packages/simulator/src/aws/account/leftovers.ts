import type { SimulatedAccount } from "../../cloud/simulated-cloud.ts";
import type { Inventory } from "../../inventory/inventory.ts";
import { listTagged } from "../../inventory/list-tagged.ts";

// The order of deletion. Deleting a load balancer also deletes its network interfaces. A security group can be deleted only when nothing
// uses it.
const order = ["aws_lb", "aws_network_interface", "aws_security_group", "aws_ebs_volume"];

/** Lists and removes the resources that clusters left behind in a simulated account. */
export function createLeftovers(
  inventory: Inventory,
  tenant: string,
): Pick<SimulatedAccount, "listLeftovers" | "removeLeftover" | "retainVolume"> {
  return {
    async listLeftovers(cluster) {
      const tagged = await listTagged(inventory, tenant, { key: tagOf(cluster), value: "owned" });
      const own = tagged.filter(({ type, attributes }) => order.includes(type) && !("cloudwright:entity" in tagsOf(attributes)));
      return own
        .toSorted((one, other) => order.indexOf(one.type) - order.indexOf(other.type))
        .map(({ type, id }) => ({ type, id }));
    },
    removeLeftover: async (key) => void (await inventory.delete(tenant, key)),
    async retainVolume(id) {
      const volume = await inventory.find(tenant, { type: "aws_ebs_volume", id });
      if (volume === undefined) return;
      const { attributes } = volume;
      const tags = Object.fromEntries(Object.entries(tagsOf(attributes)).filter(([key]) => !key.startsWith(tagOf("")))) as Record<
        string,
        string
      >;
      await inventory.put(tenant, { ...volume, attributes: { ...attributes, tags, tags_all: tags } });
    },
  };
}

function tagOf(cluster: string): string {
  return `kubernetes.io/cluster/${cluster}`;
}

function tagsOf({ tags }: { readonly [key: string]: unknown }): object {
  return typeof tags === "object" && tags !== null ? tags : {};
}
