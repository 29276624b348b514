import { expect, test } from "vitest";
import { checkUpgrade, chooseVersion, compareVersions, minorOf } from "./versions.ts";

const gke = ["1.29.4-gke.100", "1.29.15-gke.2", "1.29.15-gke.10", "1.30.1-gke.1", "1.28.9-gke.7"];

test("M161 a version without a patch means the newest available patch", () => {
  expect(chooseVersion("gcp", gke, "1.29")).toBe("1.29.15-gke.10");
  expect(chooseVersion("gcp", gke, "v1.29")).toBe("1.29.15-gke.10");
  expect(chooseVersion("gcp", gke, "1.29.4")).toBe("1.29.4-gke.100");
  expect(chooseVersion("gcp", gke, "1.29.15-gke.2")).toBe("1.29.15-gke.2");
  expect(chooseVersion("azure", ["1.29.9", "1.29.10"], "1.29")).toBe("1.29.10");
});

test("M161 a version that is not available is refused with a list of the available ones", () => {
  const choose = (version: string): string => chooseVersion("gcp", gke, version);
  expect(() => choose("1.31")).toThrow("choose one of 1.30, 1.29, 1.28");
  expect(() => choose("1.29.99")).toThrow("choose one of 1.29.15-gke.10, 1.29.15-gke.2, 1.29.4-gke.100");
  for (const text of ["latest", "1", "1.x", "", "1.29 ; rm"]) expect(() => choose(text)).toThrow("is not a Kubernetes version");
});

test("M161 versions are sorted by number", () => {
  expect(["1.9", "1.30", "1.29.2", "1.29", "1.29.10"].toSorted(compareVersions)).toEqual([
    "1.9",
    "1.29",
    "1.29.2",
    "1.29.10",
    "1.30",
  ]);
  expect(minorOf("aws", " v1.29.0 ")).toBe("1.29");
});

test("M161 an upgrade goes up by at most one minor version, and a downgrade is refused", () => {
  const check = (from: string, to: string) => () => checkUpgrade("gcp", "main", from, to);
  for (const [from, to] of [
    ["1.29.4", "1.30"],
    ["1.29", "1.29"],
    ["1.29.4", "1.29.15"],
    ["1.29.15", "1.29"],
  ] as const)
    expect(check(from, to)).not.toThrow();
  for (const [from, to] of [
    ["1.29", "1.31"],
    ["1.29", "1.28"],
    ["1.29.15", "1.29.4"],
  ] as const)
    expect(check(from, to)).toThrow(/one minor version|cannot be downgraded/);
});
