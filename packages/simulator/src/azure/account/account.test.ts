import { expect, test } from "vitest";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { openAzureAccount } from "./account.ts";

test("X013 a subnet has a default route only if its own route table contains one", async () => {
  const inventory = createMemoryInventory();
  const put = (type: string, id: string, attributes = {}) => inventory.put("t", { type, id, attributes });
  for (const name of ["routed", "other", "plain"]) await put("azurerm_subnet", `/v/subnets/${name}`);
  await put("azurerm_subnet_route_table_association", "/v/subnets/routed", { route_table_id: "/tables/a" });
  await put("azurerm_subnet_route_table_association", "/v/subnets/other", { route_table_id: "/tables/b" });
  await put("azurerm_route", "/tables/a/routes/all", { address_prefix: "0.0.0.0/0" });
  await put("azurerm_route", "/tables/b/routes/some", { address_prefix: "10.0.0.0/8" });
  const { hasDefaultRoute } = openAzureAccount({ inventory, tenant: "t", region: "westeurope" });
  const answers = ["/v/subnets/routed", "/V/subnets/Routed", "/v/subnets/other", "/v/subnets/plain", "/v/subnets/none"];
  expect(await Promise.all(answers.map(async (id) => hasDefaultRoute?.(id)))).toEqual([true, true, false, false, undefined]);
});

test("X013 the usage of a simulated subscription counts the application security groups of its region", async () => {
  const inventory = createMemoryInventory();
  for (const [name, location] of Object.entries({ a: "westeurope", b: "West Europe", c: "northeurope" }))
    await inventory.put("t", { type: "azurerm_application_security_group", id: `/groups/${name}`, attributes: { location } });
  const { findUsage } = openAzureAccount({ inventory, tenant: "t", region: "westeurope" });
  expect(await findUsage?.("securityGroups")).toEqual({ limit: 3000, used: 2 });
  expect(await findUsage?.("routers")).toBeUndefined();
});
