import { createUid, systemClock } from "@cloudwright/platform";
import { createPool } from "@cloudwright/store";
import { createTestDatabase } from "@cloudwright/store/testing";
import { expect, onTestFinished, test } from "vitest";
import { limitLists } from "./limit-lists.ts";
import { createStoredInventory } from "./stored-inventory.ts";

test("X063 clusters are not read if the account's clusters, node pools and subnets are too large, and other resources are", async () => {
  const database = await createTestDatabase();
  const pool = createPool(database.connection);
  onTestFinished(async () => {
    await pool.close();
    await database.drop();
  });
  const account = createUid(systemClock.now());
  await pool.query({
    text: `insert into entity (uid, kind, project, naming_scope, name, environment, labels, resource_version, created_at, updated_at, object)
      values ($1, 'Account', 'default', '', 'sim', '', '{}', 1, now(), now(), '{}')`,
    values: [account],
  });
  const inventory = limitLists({ pool }, createStoredInventory({ pool }));
  const put = (type: string, id: string): Promise<void> =>
    inventory.put(account, { type, id, attributes: { text: "x".repeat(250_000) } });
  for (let index = 0; index < 40; index++) await put("aws_s3_bucket", `${index}`);
  await put("aws_eks_cluster", "blue");
  expect(await inventory.list(account, "aws_eks_cluster")).toHaveLength(1);
  for (let index = 0; index < 40; index++) await put("aws_subnet", `${index}`);
  await expect(inventory.list(account, "aws_eks_cluster")).rejects.toMatchObject({ code: "api.simulation_too_large" });
  expect(await inventory.list(account, "aws_s3_bucket")).toHaveLength(40);
});
