import { expect, test } from "vitest";
import { createMemoryInventory } from "./memory-inventory.ts";
import { listTagged } from "./list-tagged.ts";

test("X010 resources that another entity or a stranger attached to a network do not belong to the network", async () => {
  const inventory = createMemoryInventory();
  const subnet = "/groups/main/networks/main/subnets/nodes";
  const role = `${subnet}/providers/Microsoft.Authorization/roleAssignments`;
  const records = [
    { id: "/groups/main/networks/main", attributes: { tags: { "cloudwright:entity": "net" } } },
    { id: subnet, attributes: {} },
    { id: `${role}/1`, attributes: { scope: subnet, description: "cloudwright:entity=cluster cloudwright:part=nodes" } },
    { id: `${role}/2`, attributes: { scope: subnet, description: null } },
    { id: `${role}/3`, attributes: { scope: "/groups/main/networks/main", description: "cloudwright:entity=cluster" } },
    { id: `${role}/4`, attributes: { scope: subnet, description: "cloudwright:entity=net cloudwright:part=own" } },
  ];
  for (const record of records) await inventory.create("a", { type: "thing", ...record });
  const found = await listTagged(inventory, "a", { key: "cloudwright:entity", value: "net" });
  expect(found.map(({ id }) => id).toSorted()).toEqual(["/groups/main/networks/main", subnet, `${role}/4`]);
});
