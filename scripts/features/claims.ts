import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RecordedFile } from "./record.ts";

/** A feature in docs/catalogue.json. */
export interface Feature {
  readonly id: string;
  readonly what: string;
}

/** A group of features in docs/catalogue.json. */
export interface Section {
  readonly section: string;
  readonly features: readonly Feature[];
}

/** The result of a test whose title contains a feature id. */
export interface Evidence {
  readonly file: string;
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
  readonly reason?: string;
}

/** A feature with its tests. The feature counts as passed only if at least one test passed and no test failed. */
export interface Claim extends Feature {
  readonly state: "passed" | "failed" | "skipped" | "untested";
  readonly tests: readonly Evidence[];
}

export async function readCatalogue(root: string): Promise<Section[]> {
  return JSON.parse(await readFile(join(root, "docs", "catalogue.json"), "utf8")) as Section[];
}

function findIds(title: string): string[] {
  return [...new Set(title.match(/\b[MX]\d{3}\b/g) ?? [])];
}

/** Combines the catalogue with the most recent test results. */
export function listClaims(sections: readonly Section[], records: readonly RecordedFile[]): Claim[] {
  const evidence = new Map<string, Evidence[]>();
  for (const { file, broken, tests } of records) {
    for (const test of tests) {
      // If a hook in the file failed, the results of the file's tests prove nothing.
      const state = broken ? "failed" : test.state;
      for (const id of findIds(test.title)) {
        const list = evidence.get(id) ?? [];
        evidence.set(id, [...list, { file, ...test, state }]);
      }
    }
  }
  return sections.flatMap((section) => section.features.map((feature) => toClaim(feature, evidence.get(feature.id) ?? [])));
}

/** Returns feature ids in test titles that are missing from the catalogue. */
export function findUnknownIds(sections: readonly Section[], records: readonly RecordedFile[]): string[] {
  const known = new Set(sections.flatMap((section) => section.features.map((feature) => feature.id)));
  const carried = records.flatMap((record) => record.tests.flatMap((test) => findIds(test.title)));
  return [...new Set(carried)].filter((id) => !known.has(id)).toSorted();
}

function toClaim(feature: Feature, tests: Evidence[]): Claim {
  const has = (state: string): boolean => tests.some((test) => test.state === state);
  const state = has("failed") ? "failed" : has("passed") ? "passed" : has("skipped") ? "skipped" : "untested";
  return { ...feature, state, tests };
}
