import { describeCloudProvider } from "@cloudwright/clouds/testing";
import { createMemoryFaults, createMemoryInventory } from "@cloudwright/simulator";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSimulatedProvider } from "./simulated-provider.ts";

const always = ["identity", "owned-resources", "cluster-access", "terraform"] as const;

for (const cloud of ["aws", "gcp", "azure", "local"] as const) {
  const more = cloud === "aws" ? (["view", "objects", "leftovers"] as const) : [];
  describeCloudProvider(`${cloud}, simulated`, new Set([...always, ...more]), async () => {
    const folder = mkdtempSync(join(tmpdir(), "simulated-provider-"));
    const inventory = createMemoryInventory();
    const tenant = "0199-account-of-the-suite";
    const store = { inventory, faults: createMemoryFaults(), close: () => undefined };
    let count = 0;
    const create = async (type: string, attributes: Record<string, string | Record<string, string>>): Promise<string> => {
      const id = `${type}-${(count += 1)}`;
      await inventory.put(tenant, { type, id, attributes: { region: "eu-west-1", ...attributes } });
      return id;
    };
    return {
      provider: createSimulatedProvider({ cloud, tenant, openStore: async () => store, folder }),
      region: "eu-west-1",
      credentials: {},
      createNetwork: (owner, range) => create("aws_vpc", { cidr_block: range, tags: { "cloudwright:entity": owner } }),
      createClusterVolume: (cluster) => create("aws_ebs_volume", { tags: { [`kubernetes.io/cluster/${cluster}`]: "owned" } }),
      close: async () => rmSync(folder, { recursive: true }),
    };
  });
}
