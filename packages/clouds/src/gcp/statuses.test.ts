import { describe, expect, test } from "vitest";
import { toStatus } from "../library/statuses.ts";
import { clusterStatuses, instanceStatuses, nodePoolStatuses } from "./statuses.ts";
import { findDocument, listWords } from "./testing/api-documents.ts";

const [container, compute] = [findDocument("container"), findDocument("compute")];

const isMissing = container === undefined || compute === undefined;
const suffix = isMissing ? " (skipped: shared/data/cloud-apis/gcp is not on this machine)" : "";

describe.skipIf(isMissing)(`Google Cloud's API descriptions${suffix}`, () => {
  test.each([
    ["clusters", container, "Cluster", clusterStatuses],
    ["node pools", container, "NodePool", nodePoolStatuses],
    ["instances", compute, "Instance", instanceStatuses],
  ] as const)("M148 every status word of %s has a row, and every row is a status word", (_what, document, schema, table) => {
    const words = document === undefined ? [] : listWords(document, schema, "status");
    expect(words.length).toBeGreaterThan(5);
    expect(Object.keys(table).toSorted()).toEqual([...words].toSorted());
  });
});

test("M148 an unknown status word becomes unknown", () => {
  for (const word of ["NEW_WORD", "", "constructor", "__proto__", undefined])
    expect(toStatus(clusterStatuses, word)).toBe("unknown");
});
