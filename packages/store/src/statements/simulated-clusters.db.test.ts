import { createUid, systemClock } from "@cloudwright/platform";
import { expect, onTestFinished, test } from "vitest";
import { createPool } from "../pool.ts";
import { fingerprintSimulatedClusters } from "./simulated-clusters.ts";
import { createTestDatabase } from "../testing/index.ts";

test("M032 a change that commits after a later one is still seen", async () => {
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
  const put = (id: string, at: string): Promise<unknown> =>
    pool.query({
      text: `insert into simulated_record (account_uid, type, id, attributes, changed_at) values ($1, 'aws_eks_cluster', $2, '{}', $3)
        on conflict (account_uid, type, id) do update set changed_at = excluded.changed_at`,
      values: [account, id, at],
    });
  const look = async (): Promise<string | undefined> =>
    (await fingerprintSimulatedClusters(pool, ["aws_eks_cluster", "aws_eks_node_group"])).get(account);
  await put("a", "2026-01-01T00:00:00.000001Z");
  await put("b", "2026-01-01T00:00:02Z");
  const before = await look();
  expect(await look()).toBe(before);
  await put("a", "2026-01-01T00:00:01.000001Z");
  expect(await look()).not.toBe(before);
});
