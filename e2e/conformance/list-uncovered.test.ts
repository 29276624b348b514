import { expect, test } from "vitest";
import { listUncovered } from "./list-uncovered.ts";

test("M138 a variable counts as covered only if a case of the same version sets a value other than its default", () => {
  const place = "storage/gcp/v1.1.0";
  const whole = {
    name: "logs",
    project: "acme-1",
    region: "europe-west1",
    owner: { project: "default", entity: "0123456789ab" },
    labels: { team: "a" },
  };
  const volume = { zone: "europe-west1-b", size_gib: 10, type: "pd-balanced", iops: null };
  const uncovered = listUncovered(place, [{ title: "a disk", place, variables: { ...whole, volume } }]);
  expect(uncovered).toContain("bucket");
  expect(uncovered).toContain("bucket.storage_class");
  expect(uncovered).toContain("volume.type");
  expect(uncovered).toContain("volume.iops");
  expect(uncovered.filter((name) => name in whole || name === "volume" || name === "volume.zone")).toEqual([]);
  const change = { place, variables: { volume: { ...volume, type: "pd-ssd", iops: 1 } } };
  const first = { title: "a disk", place: "storage/gcp/v1.0.0", variables: whole };
  expect(listUncovered(place, [{ ...first, changes: [change] }])).not.toContain("volume.type");
  expect(listUncovered(place, [{ ...first, changes: [change] }])).toContain("labels");
});
