import { describe, expect, test } from "vitest";
import { toStatus } from "../library/statuses.ts";
import { findApiModel } from "../testing/find-api-model.ts";
import { clusterStatuses, instanceStatuses, nodePoolStatuses } from "./statuses.ts";

const [eks, ec2] = [findApiModel("aws/eks.json"), findApiModel("aws/ec2.json")];

function readEnum(probe: typeof eks, shape: string): readonly string[] {
  const { shapes } = (probe.found ? probe.model : {}) as { shapes: Record<string, { enum: readonly string[] }> };
  return shapes[shape]?.enum ?? [];
}

describe.skipIf(!eks.found || !ec2.found)(`M148 status words${eks.found ? "" : `: ${eks.reason}`}`, () => {
  test.each([
    ["clusters", clusterStatuses, eks, "ClusterStatus"],
    ["node groups", nodePoolStatuses, eks, "NodegroupStatus"],
    ["instances", instanceStatuses, ec2, "InstanceStateName"],
  ] as const)("of %s in the API model all have a row, and no row is invented", (_name, table, probe, shape) => {
    expect(Object.keys(table).toSorted()).toEqual(readEnum(probe, shape).toSorted());
  });
});

test("M148 a status that is not in the table becomes unknown", () => {
  for (const word of ["HIBERNATING", "", "constructor", "__proto__", "toString", undefined])
    expect([toStatus(clusterStatuses, word), toStatus(instanceStatuses, word)]).toEqual(["unknown", "unknown"]);
  expect(toStatus(instanceStatuses, "shutting-down")).toBe("terminating");
});
