import { readRetention } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { renderLimits } from "./pruning.ts";

test("X068 each record is pruned after its own retention period, and records that are kept forever are not pruned", () => {
  const retention = readRetention({
    CLOUDWRIGHT_RETENTION: "changes=1h,audit=forever,events=2h,state-versions=1d,state-versions.Cluster=forever",
  });
  expect(renderLimits(retention, Date.UTC(2026, 0, 31))).toEqual({
    changes: "2026-01-30T23:00:00.000Z",
    idempotency: "2026-01-30T00:00:00.000Z",
    events: "2026-01-30T22:00:00.000Z",
    audit: undefined,
    operations: "2026-01-01T00:00:00.000Z",
    stateVersions: { "*": "2026-01-30T00:00:00.000Z", Cluster: null },
    deletedStates: { "*": "2025-11-02T00:00:00.000Z" },
    now: "2026-01-31T00:00:00.000Z",
  });
});
