import type { AnyEntity } from "@cloudwright/api-client";
import { expect, test } from "vitest";
import { checkedKinds, describeDrift, driftOf, isCheckable, summarizeDrift } from "./drift-state.ts";

const built = (state?: string, resources = 0): AnyEntity =>
  ({ status: { observedGeneration: 1, ...(state === undefined ? {} : { drift: { state, resources } }) } }) as AnyEntity;

test("X080 an entity without a drift check is shown as never checked", () => {
  expect(describeDrift(driftOf(built())).word).toBe("never checked");
  expect(describeDrift(driftOf(built(""))).word).toBe("never checked");
  expect(describeDrift(driftOf(built("DRIFTED", 2)))).toEqual({ word: "drifted: 2 resources", tone: "warn" });
  expect(checkedKinds).toEqual([
    "Network",
    "Cluster",
    "Storage",
    "SecurityGroup",
    "Inventory",
    "Instance",
    "Volume",
    "VolumeSnapshot",
  ]);
});

test("X080 everything is reported as matching only if every entity was checked", () => {
  expect(summarizeDrift([built("IN_SYNC"), built("IN_SYNC")])).toBe("everything matches what was applied");
  for (const state of [undefined, "OUTDATED", "CHECK_FAILED", "DRIFTED"])
    expect(summarizeDrift([built("IN_SYNC"), built(state)])).not.toContain("everything matches");
  expect(summarizeDrift([])).toBe("nothing to check yet");
  expect(summarizeDrift([{} as AnyEntity])).toBe("nothing to check yet");
  expect(summarizeDrift([built(), built("DRIFTED"), built()])).toBe("1 drifted · 2 never checked");
});

test("X080 only entities that were built and are not being deleted can be checked", () => {
  expect(isCheckable(built())).toBe(true);
  expect(isCheckable({ ...built(), metadata: { deletedAt: "2026-01-01T00:00:00Z" } } as AnyEntity)).toBe(false);
  expect(isCheckable({ status: { observedGeneration: 0 } } as AnyEntity)).toBe(false);
});
