import type { ClusterLeftovers } from "@cloudwright/deployer";
import { listTagged, type Inventory } from "@cloudwright/simulator";

// A network interface goes with its load balancer, a security group after what is in it.
const order = ["aws_lb", "aws_network_interface", "aws_security_group", "aws_ebs_volume"];

/** What clusters leave in a simulated account. */
export function createSimulatedLeftovers(inventory: Inventory, tenant: string): ClusterLeftovers {
  return {
    async list(cluster) {
      const tagged = await listTagged(inventory, tenant, { key: tagOf(cluster), value: "owned" });
      const own = tagged.filter(({ type, attributes }) => order.includes(type) && !("cloudwright:entity" in tagsOf(attributes)));
      return own
        .toSorted((one, other) => order.indexOf(one.type) - order.indexOf(other.type))
        .map(({ type, id }) => ({ type, id }));
    },
    remove: async (key) => void (await inventory.delete(tenant, key)),
    async retain(id) {
      const volume = await inventory.find(tenant, { type: "aws_ebs_volume", id });
      if (volume === undefined) return;
      const without = (tags: object): Record<string, string> =>
        Object.fromEntries(Object.entries(tags).filter(([key]) => !key.startsWith(tagOf(""))));
      const { attributes } = volume;
      const tags = without(tagsOf(attributes));
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
