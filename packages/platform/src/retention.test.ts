import { describe, expect, test } from "vitest";
import { readRetention } from "./retention.ts";

const day = 86_400_000;

describe("X068 retention is configurable for every kind of record", () => {
  test("every record that grows has a default", () => {
    expect(readRetention({})).toEqual({
      changes: day,
      events: 30 * day,
      audit: 400 * day,
      operations: 30 * day,
      tasks: 30 * day,
      taskLogs: { "*": 30 * day },
      stateVersions: { "*": 90 * day },
      deletedStates: { "*": 90 * day },
    });
  });

  test("a setting overrides its own default only, for all kinds of entities or for one", () => {
    const text = "audit=forever, state-versions=7d,state-versions.cluster=forever,task-logs.Network=12h";
    expect(readRetention({ CLOUDWRIGHT_RETENTION: text })).toMatchObject({
      audit: undefined,
      events: 30 * day,
      stateVersions: { "*": 7 * day, Cluster: undefined },
      taskLogs: { "*": 30 * day, Network: day / 2 },
    });
  });

  test.each([
    "audit",
    "audit=",
    "audit=soon",
    "audit=0d",
    "logs=3d",
    "audit.Cluster=3d",
    "task-logs.Planet=3d",
    "task-logs.Cluster.x=3d",
    "changes=forever",
    "audit=1d=2d",
  ])("the fault names the invalid part: %s", (text) => {
    const read = (): unknown => readRetention({ CLOUDWRIGHT_RETENTION: `events=3d,${text}` });
    expect(read).toThrow(expect.objectContaining({ code: "platform.bad_configuration" }));
    expect(read).toThrow(/CLOUDWRIGHT_RETENTION/);
  });
});
