import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

test("M160 the list of node pools has no column that is always empty", async () => {
  const { run } = createFakeWorld();
  await run("cluster", "create", "dev", "--network", "main");
  const flags = ["--instance-type", "m6i.large", "--min", "1", "--desired", "2", "--max", "3"];
  expect((await run("nodepool", "create", "spot", "--cluster", "dev", ...flags)).code).toBe(0);
  const [header = "", row = ""] = (await run("nodepool", "list", "--cluster", "dev")).out.split("\n");
  // The platform does not count the ready nodes of a single pool. `cloud cluster list` shows the count of the whole cluster.
  expect(header.trim().split(/\s{2,}/)).toEqual(expect.arrayContaining(["TYPE", "MIN", "DESIRED", "MAX"]));
  expect(header).not.toContain("READY");
  expect(row).toMatch(/m6i\.large +1 +2 +3/);
});
