import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plantTree, type PlantedTree } from "./testing/planted-tree.ts";

const platform = join(import.meta.dirname, "..");
const patience = { timeout: 60_000 };
const suite = "packages/store/src/rows.test.ts";

const passing = `import { test } from "vitest";
test("M001 it passes", () => {});
test("X001 M002 it carries two ids", () => {});
test.skip("M003 it is skipped", () => {});
test("M004 it is skipped with a reason", ({ skip }) => skip("no such tool"));
`;
const failing = `import { describe, test } from "vitest";
describe("M001 a suite carries an id", () => {
  test("it passes", () => {});
  test("it fails", () => { throw new Error("no"); });
});
test("X001 it passes", () => {});
`;

test("an id counts if a test with the id ran and passed", patience, () => {
  using tree = plantFeatures();
  runSuites(tree, passing);
  expect(readStates(tree)).toEqual({
    M001: "passed",
    M002: "passed",
    M003: "skipped",
    M004: "skipped",
    M005: "untested",
    X001: "passed",
  });
});

test("an id does not count if one of its tests failed", patience, () => {
  using tree = plantFeatures();
  runSuites(tree, passing);
  runSuites(tree, failing);
  expect(readStates(tree)).toMatchObject({ M001: "failed", M002: "untested", X001: "passed" });
});

test("an id does not count if a hook failed or the file does not load", patience, () => {
  using tree = plantFeatures();
  runSuites(
    tree,
    `import { afterAll, test } from "vitest";\nafterAll(() => { throw new Error("no"); });\ntest("M001 it passes", () => {});\n`,
  );
  expect(readStates(tree)["M001"]).toBe("failed");
  runSuites(tree, `${passing}\nthrow new Error("no");\n`);
  expect(readStates(tree)["M001"]).not.toBe("passed");
});

test("partial runs are merged, and a run by name keeps the other results", patience, () => {
  using tree = plantFeatures();
  runSuites(tree, passing);
  runSuites(tree, passing, "-t", "M002");
  expect(readStates(tree)).toMatchObject({ M001: "passed", M002: "passed" });
  tree.write("packages/store/src/other.test.ts", `import { test } from "vitest";\ntest("M005 it passes", () => {});\n`);
  runSuites(tree, passing, "other");
  expect(readStates(tree)).toMatchObject({ M001: "passed", M005: "passed" });
  rmSync(join(tree.root, suite));
  expect(readStates(tree)).toMatchObject({ M001: "untested", M005: "passed" });
});

test("the page lists passed ids, is reproducible, and is rejected when an id no longer passes", patience, () => {
  using tree = plantFeatures();
  runSuites(tree, passing);
  expect(runFeatures(tree, "--write").status).toBe(0);
  const page = readFileSync(join(tree.root, "docs/features.md"), "utf8");
  expect(page).toContain("| M001 | one \\| two | [rows.test.ts](../packages/store/src/rows.test.ts) |");
  expect(page).toContain("| M003 | three | – |");
  runSuites(tree, passing);
  runFeatures(tree, "--write");
  expect(readFileSync(join(tree.root, "docs/features.md"), "utf8")).toBe(page);
  expect(runFeatures(tree, "--check")).toMatchObject({ status: 0 });

  runSuites(tree, failing);
  const refused = runFeatures(tree, "--check");
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain("docs/features.md claims M001, but in the last run it was failed");
  expect(refused.stderr).toContain("docs/features.md claims M002, but in the last run it was untested");
});

test("an id that is missing from the catalogue is rejected", patience, () => {
  using tree = plantFeatures();
  runSuites(tree, `import { test } from "vitest";\ntest("M999 it passes", () => {});\n`);
  const { status, stderr } = runFeatures(tree);
  expect(status).toBe(1);
  expect(stderr).toContain("a test title contains the id M999");
});

function plantFeatures(): PlantedTree {
  const tree = plantTree();
  const what = { M001: "one | two", M002: "two", M003: "three", M004: "four", M005: "five", X001: "more" };
  const features = Object.entries(what).map(([id, text]) => ({ id, what: text }));
  tree.write("docs/catalogue.json", JSON.stringify([{ section: "All", features }]));
  const reporter = JSON.stringify(join(platform, "scripts", "feature-reporter.ts"));
  tree.write(
    "vitest.config.ts",
    `import { FeatureReporter } from ${reporter};
export default { test: { reporters: [new FeatureReporter()], include: ["packages/**/*.test.ts"] } };
`,
  );
  return tree;
}

function runSuites(tree: PlantedTree, text: string, ...args: string[]): void {
  tree.write(suite, text);
  const vitest = join(platform, "node_modules", "vitest", "vitest.mjs");
  spawnSync(process.execPath, [vitest, "run", "--root", tree.root, ...args], { cwd: tree.root, timeout: 60_000 });
}

function readStates(tree: PlantedTree): Record<string, string> {
  const lines = runFeatures(tree, "--json").stdout.trim().split("\n");
  return Object.fromEntries(
    lines.map((line) => JSON.parse(line) as { id: string; state: string }).map(({ id, state }) => [id, state]),
  );
}

function runFeatures(tree: PlantedTree, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(platform, "scripts", "features.ts"), "--root", tree.root, ...args], {
    encoding: "utf8",
  });
}
