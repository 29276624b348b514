import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderGoldenPlan } from "../testing/golden-plan.ts";
import { gkeNetwork, gkeParents } from "../testing/rich-specs-gke.ts";
import { openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

describe.skipIf(!terraform.found)("upgrades of clusters in Google Cloud", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  test("M138 M069 the upgrade of a GKE cluster to v1.1.0 is planned as reviewed, and replaces nothing", async () => {
    const entity = platform.openEntity({}, "gcp");
    for (const record of gkeNetwork) await platform.inventory.put(entity.account.uid, record);
    const options = (version: string) => ({
      name: "shop",
      parents: [...gkeParents],
      spec: { version: "1.34", infra: { version } },
    });
    const plan = async (version: string): Promise<string> =>
      (await entity.run("cluster.plan", options(version)))["plan"] as string;
    await entity.run("cluster.apply", { ...options("v1.0.0"), plan: await plan("v1.0.0") });
    const uid = await plan("v1.1.0");
    const stored = platform.endpoint.plans.get(uid);
    if (stored === undefined) throw new Error("the plan was not stored");
    const roles = { google_project_iam_member: ["role"] };
    await expect(renderGoldenPlan(stored, roles)).toMatchFileSnapshot(
      join(import.meta.dirname, "golden", "gke-cluster-upgrade-of-v1.0.0.json"),
    );
    await entity.run("cluster.apply", { ...options("v1.1.0"), plan: uid });
    expect(platform.endpoint.plans.get(await plan("v1.1.0"))?.changes).toEqual([]);
  });
});
