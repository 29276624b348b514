import { payloadVersion } from "@cloudwright/contract";
import { createUid, systemClock } from "@cloudwright/platform";
import { leaseTasks, type LeasedTask } from "@cloudwright/tasks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { done, openTestPlatform, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
beforeEach(async () => {
  platform = await openTestPlatform();
});
afterEach(() => platform.close());

describe("X080 X021 drift checks count against their account's call budget", () => {
  /** Leases tasks as an agent with many free slots. Each account may have `accountBudget` tasks at a time. */
  const lease = (accountBudget: number): Promise<LeasedTask[]> =>
    leaseTasks(platform.pool, {
      agentUid: createUid(systemClock.now()),
      labels: { cloud: "*", account: "*", region: "*" },
      types: "*",
      payloadVersions: { min: 1, max: payloadVersion },
      lanes: { long: 50, short: 50 },
      projects: undefined,
      leaseSeconds: 60,
      projectQuota: undefined,
      accountBudget,
    });
  const listTypes = (tasks: readonly LeasedTask[]): string[] => tasks.map(({ type }) => type).toSorted();

  /** Builds networks in an account. Returns their uids. */
  async function buildIn(account: string, count: number): Promise<string[]> {
    const parent = await platform.create("Account", account);
    const made: string[] = [];
    for (let nth = 0; nth < count; nth += 1)
      made.push(await platform.create("Network", `${account}-${nth}`, { parent, spec: { region: "eu-west-1" } }));
    await platform.run();
    await platform.query("update task set ended_at = ended_at - interval '2 hours' where ended is not null");
    return made;
  }

  test("periodic checks that are due together run only as the budget allows, and other accounts are not affected", async () => {
    await buildIn("tight", 5);
    await buildIn("other", 1);
    platform.rules.driftMs = { Network: 1 };
    await platform.wakeAll();
    await platform.settle();
    platform.rules.driftMs = {};
    const first = await lease(2);
    expect(listTypes(first)).toEqual(["network.check", "network.check", "network.check"]);
    expect(new Set(first.map(({ accountUid }) => accountUid)).size).toBe(2);
    expect(await lease(2)).toEqual([]);
    await platform.end(first.find(({ accountUid }) => accountUid === first[0]?.accountUid) as LeasedTask, done({}));
  });

  test("a running check and a run of the same account share the budget, and the run comes first", async () => {
    const [checked = "", also = "", changed = ""] = await buildIn("acme", 3);
    await platform.check(checked);
    await platform.check(also);
    await platform.settle();
    const [check] = await lease(1);
    expect(check?.type).toBe("network.check");
    await platform.update(changed, { region: "eu-west-1", cidr: "10.1.0.0/16" });
    await platform.settle();
    expect(await lease(1)).toEqual([]);
    await platform.end(check as LeasedTask, done({}));
    expect(listTypes(await lease(1))).toEqual(["network.preflight"]);
    expect(await lease(1)).toEqual([]);
    expect(listTypes(await lease(2))).toEqual(["network.check"]);
  });
});
