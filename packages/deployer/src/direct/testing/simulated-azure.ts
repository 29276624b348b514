import { textOf } from "@cloudwright/platform";
import type { TestTaskOptions } from "../../testing/test-task.ts";
import type { DirectCloud } from "./simulated-account.ts";

const region = "westeurope";
const first = { provisioner: "direct", version: "1.34", workers: 2 };
// The machines of an AKS cluster's first pool cannot be changed, so this spec changes the machine type of an additional pool. The outbound
// type equals the default and serves only to recognise this spec.
const replaced = { ...first, azure: { outbound: "load-balancer" } };

/** AKS clusters. */
export const directAzure: DirectCloud = {
  cloud: "azure",
  title: "AKS clusters",
  region,
  describeNetwork({ subscriptionId }) {
    const group = `/subscriptions/${textOf(subscriptionId)}/resourceGroups/net`;
    const network = `${group}/providers/Microsoft.Network/virtualNetworks/net`;
    const subnet = `${network}/subnets/nodes`;
    const record = (type: string, id: string, attributes: Record<string, string | string[]>) => ({
      type,
      id,
      attributes: { id, resource_group_name: "net", ...attributes },
    });
    return {
      records: [
        record("azurerm_resource_group", group, { name: "net", location: region }),
        record("azurerm_virtual_network", network, { name: "net", location: region, address_space: ["10.0.0.0/16"] }),
        record("azurerm_subnet", subnet, { name: "nodes", virtual_network_name: "net", address_prefixes: ["10.0.0.0/20"] }),
      ],
      network: {
        kind: "Network",
        uid: "n",
        name: "net",
        spec: { region },
        outputs: { cidr: "10.0.0.0/16", private_subnet_ids: [subnet], zones: [`${region}-1`, `${region}-2`] },
      },
    };
  },
  specs: {
    first,
    updated: { ...first, workers: 3, azure: { tier: "premium" } },
    replaced,
    invalid: { ...first, azure: { managedPrometheus: true } },
  },
  listPools: (spec) => [
    {
      uid: "p",
      name: "extra",
      spec: { min: 1, desired: 1, max: 2, ...(isReplaced(spec) ? { instanceType: "Standard_D4s_v5" } : {}) },
    },
  ],
  poolType: "azurerm_kubernetes_cluster_node_pool",
  disturbPool: (attributes) => ({ ...attributes, node_labels: { stray: "yes" } }),
  // ARM ids contain names, so a new pool has the same id as the pool that it replaced.
  renewedBy: "vm_size",
};

function isReplaced(spec: TestTaskOptions["spec"]): boolean {
  return JSON.stringify(spec) === JSON.stringify(replaced);
}
