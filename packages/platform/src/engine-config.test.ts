import { describe, expect, test } from "vitest";
import { readEngineConfig } from "./engine-config.ts";

describe("M057 intervals and roles are settings", () => {
  test("one interval applies to all kinds, and a kind can override it", () => {
    expect(readEngineConfig({ CLOUDWRIGHT_RESYNC: "Cluster=10m,*=1h" }).resyncMs).toMatchObject({
      Cluster: 600_000,
      Network: 3_600_000,
    });
    expect(readEngineConfig({ CLOUDWRIGHT_DRIFT_CHECK: "90s" }).driftMs["Storage"]).toBe(90_000);
  });

  test("X080 drift is checked every 12 hours unless the setting says otherwise for a kind", () => {
    expect(readEngineConfig({}).driftMs).toMatchObject({ Network: 43_200_000, Cluster: 43_200_000, Storage: 43_200_000 });
    const { driftMs } = readEngineConfig({ CLOUDWRIGHT_DRIFT_CHECK: "Network=1h,Storage=off" });
    expect(driftMs).toMatchObject({ Network: 3_600_000, Cluster: 43_200_000, Storage: 0 });
    for (const text of ["off", "0s", "*=off"])
      expect(new Set(Object.values(readEngineConfig({ CLOUDWRIGHT_DRIFT_CHECK: text }).driftMs))).toEqual(new Set([0]));
  });

  test.each([
    { CLOUDWRIGHT_RESYNC: "often" },
    { CLOUDWRIGHT_DRIFT_CHECK: "Planet=1h" },
    { CLOUDWRIGHT_TASK_LIMITS: "forever" },
    { CLOUDWRIGHT_TASK_LIMITS: "long=4" },
    { CLOUDWRIGHT_TASK_TURN: "0m" },
    { CLOUDWRIGHT_LEASE_SECONDS: "0" },
    { CLOUDWRIGHT_LEASE_SECONDS: "4" },
    { CLOUDWRIGHT_ROLES: "api,cook" },
  ])("the fault names the invalid value: %j", (environment) => {
    expect(() => readEngineConfig(environment)).toThrow(expect.objectContaining({ code: "platform.bad_configuration" }));
    expect(() => readEngineConfig(environment)).toThrow(/CLOUDWRIGHT_/);
  });

  test("X021 the runs in an account share its limit on concurrent calls", () => {
    const { accountBudget, parallelism } = readEngineConfig({
      CLOUDWRIGHT_ACCOUNT_BUDGET: "25",
      CLOUDWRIGHT_RUN_PARALLELISM: "6",
    });
    expect([accountBudget, parallelism]).toEqual([4, 6]);
    expect(readEngineConfig({ CLOUDWRIGHT_ACCOUNT_BUDGET: "3" }).accountBudget).toBe(1);
    expect(readEngineConfig({}).accountBudget).toBeUndefined();
  });

  test("M056 the roles of a control plane are chosen by name", () => {
    expect([...readEngineConfig({}, "api, reconciler").roles]).toEqual(["api", "reconciler"]);
    expect(readEngineConfig({}).roles.size).toBe(4);
  });
});

test("X063 by default, tasks have time limits and projects have a quota, and both can be configured", () => {
  const { taskLimits, taskTurnSeconds, projectQuota } = readEngineConfig({});
  expect(taskLimits).toEqual({ byLane: { long: 14_400, short: 1800 }, byType: {} });
  expect([taskTurnSeconds, projectQuota]).toEqual([1200, 1000]);
  const set = { CLOUDWRIGHT_TASK_LIMITS: "long=6h, cluster.apply=8h", CLOUDWRIGHT_TASK_TURN: "off" };
  const changed = readEngineConfig(set);
  expect(changed.taskLimits).toEqual({ byLane: { long: 21_600, short: 1800 }, byType: { "cluster.apply": 28_800 } });
  expect(changed.taskTurnSeconds).toBeUndefined();
});
