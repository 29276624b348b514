import { expect, test } from "vitest";
import { checks } from "./checks.ts";
import { mostKindComparisons } from "./list-kind-comparisons.ts";
import { runCheck } from "./run-check.ts";
import { patternViolations } from "./testing/pattern-violations.ts";
import { plantTree } from "./testing/planted-tree.ts";
import { source, type Violation } from "./testing/violation.ts";

const rows = "packages/store/src/rows.ts";
const main = "apps/control-plane/src/main.ts";
const machine = (...parts: string[]): string => ["", ...parts].join("/");

const violations: readonly Violation[] = [
  {
    guard: "layers",
    finds: "a dependency that layers.json does not allow",
    plant: (tree) =>
      tree.edit("packages/platform/package.json", (json) => (json.dependencies = { "@cloudwright/store": "0.1.0" })),
    says: /packages\/platform\/package\.json depends on store, which layers\.json does not allow/,
  },
  {
    guard: "layers",
    finds: "a development dependency that layers.json does not allow",
    plant: (tree) =>
      tree.edit("packages/platform/package.json", (json) => (json.devDependencies = { "@cloudwright/store": "0.1.0" })),
    says: /packages\/platform\/package\.json depends on store, which layers\.json does not allow/,
  },
  {
    guard: "layers",
    finds: "a permission that no package.json uses",
    plant: (tree) => tree.edit("packages/store/package.json", (json) => delete json.dependencies),
    says: /layers\.json lets store use platform, but packages\/store\/package\.json does not/,
  },
  {
    guard: "layers",
    finds: "a package that imports upwards",
    plant: (tree) => tree.edit("layers.json", (json) => (json.packages.platform.layer = 3)),
    says: /store \(layer 2\) imports upwards from platform \(layer 3\)/,
  },
  {
    guard: "layers",
    finds: "a package that imports sideways",
    plant: (tree) => tree.edit("layers.json", (json) => (json.packages.platform.layer = 2)),
    says: /store imports sideways from platform \(layer 2\)/,
  },
  {
    guard: "layers",
    finds: "a cycle of packages within one layer",
    plant: (tree) =>
      tree.edit("layers.json", ({ packages }) => {
        packages.platform = { layer: 2, uses: ["store"], beside: { store: "it wants to" } };
        packages.store.beside = { platform: "it wants to" };
      }),
    says: /store imports sideways from platform/,
  },
  {
    guard: "layers",
    finds: "a package missing from layers.json",
    plant: (tree) => tree.write("packages/attic/package.json", `{ "name": "@cloudwright/attic" }\n`),
    says: /packages\/attic is missing from layers\.json/,
  },
  {
    guard: "layers",
    finds: "an entry in layers.json without a package",
    plant: (tree) => tree.edit("layers.json", (json) => (json.packages.cellar = { layer: 0, uses: [] })),
    says: /layers\.json lists cellar, but there is no such package/,
  },
  {
    guard: "imports",
    finds: "a dependency that the nearest package.json does not declare",
    plant: source(rows, `export { pino } from "pino";\n`),
    says: /rows\.ts:1 imports pino: packages\/store\/package\.json does not declare it/,
  },
  {
    guard: "imports",
    finds: "an undeclared package in a dynamic import",
    plant: source(rows, `\nexport const load = async (): Promise<unknown> => await import("pino");\n`),
    says: /rows\.ts:2 imports pino: packages\/store\/package\.json does not declare it/,
  },
  {
    guard: "imports",
    finds: "a development dependency of the root in product code",
    plant: source(rows, `import { test } from "vitest";\n\nexport const readRows = test;\n`),
    says: /rows\.ts:1 imports vitest: packages\/store\/package\.json does not declare it/,
  },
  {
    guard: "imports",
    finds: "product code that imports a script of the root",
    plant: source(main, `import { report } from "../../../scripts/workspace.ts";\n\nconsole.log(report);\n`),
    says: /main\.ts:1 imports .*: it reaches into \. by path/,
  },
  {
    guard: "imports",
    finds: "a path into another package",
    plant: source(main, `import { readRows } from "../../../packages/store/src/rows.ts";\n\nconsole.log(readRows);\n`),
    says: /main\.ts:1 imports .*: it reaches into packages\/store by path; import @cloudwright\/store/,
  },
  {
    guard: "imports",
    finds: "an import of another package's internals",
    plant: source(main, `import { readRows } from "@cloudwright/store/src/rows.ts";\n\nconsole.log(readRows);\n`),
    says: /@cloudwright\/store does not export it; its exports are \., \.\/testing/,
  },
  {
    guard: "imports",
    finds: "testing code in product code",
    plant: source(main, `import { noRows } from "@cloudwright/store/testing";\n\nconsole.log(noRows);\n`),
    says: /main\.ts:1 imports @cloudwright\/store\/testing: it is for tests only/,
  },
  {
    guard: "imports",
    finds: "a Node module without the node: prefix",
    plant: source(rows, `export { join as readRows } from "path";\n`),
    says: /rows\.ts:1 imports path: say node:path/,
  },
  {
    guard: "file-names",
    finds: "a file with a meaningless name",
    plant: source("packages/store/src/utils.ts", "export {};\n"),
    says: /packages\/store\/src\/utils\.ts: "utils" is too vague/,
  },
  {
    guard: "file-names",
    finds: "a folder with a meaningless name",
    plant: source("packages/store/src/helpers/rows.test.ts", "export {};\n"),
    says: /"helpers" is too vague/,
  },
  {
    guard: "file-names",
    finds: "a file that is not kebab-case",
    plant: source("packages/store/src/readRows.ts", "export {};\n"),
    says: /readRows\.ts: file names are kebab-case/,
  },
  {
    guard: "file-names",
    finds: "two migrations with the same number",
    plant: (tree) => {
      for (const name of ["0007_rows", "0007_more_rows"]) tree.write(`packages/store/src/migrations/${name}.sql`, "select 1;\n");
    },
    says: /0007_more_rows\.sql and .*0007_rows\.sql have the same number/,
  },
  {
    guard: "kinds",
    finds: "more comparisons with the name of a kind than are allowed",
    plant: source(rows, `export const isCluster = (kind: string) => kind === "Cluster";\n`.repeat(mostKindComparisons + 1)),
    says: /rows\.ts:1 kind === "Cluster"[\s\S]*comparisons with the name of a kind; at most/,
  },
  {
    guard: "clouds",
    finds: "a cloud's name in an identifier of generic code",
    plant: source(rows, "export const awsRegion = 1;\n"),
    says: /rows\.ts:1 names the cloud "aws"/,
  },
  {
    guard: "clouds",
    finds: "a cloud's service in a text of generic code",
    plant: source(rows, 'export const words = "first";\nexport const bucket = "an S3 bucket";\n'),
    says: /rows\.ts:2 names the cloud "s3"/,
  },
  {
    guard: "clouds",
    finds: "a cloud's name in a policy for all clouds",
    plant: source("policies/more.yaml", "rules:\n  - name: azure-only\n"),
    says: /policies\/more\.yaml:2 names the cloud "azure"/,
  },
  {
    guard: "clouds",
    finds: "a cloud's name in a comment of generic code",
    plant: source(rows, "// Only GKE needs this.\nexport {};\n"),
    says: /rows\.ts:1 names the cloud "gke"/,
  },
  {
    guard: "task-types",
    finds: "a task type that is matched by its end",
    plant: source(rows, `export const isApply = (type: string): boolean => type.endsWith(".apply");\n`),
    says: /rows\.ts:1 matches a task type as text/,
  },
  {
    guard: "task-types",
    finds: "a task type that is split",
    plant: source(rows, `export const actionOf = (type: string): string => type.split(".")[1] ?? "";\n`),
    says: /rows\.ts:1 matches a task type as text/,
  },
  {
    guard: "task-types",
    finds: "a task type that SQL matches by its end",
    plant: source(rows, `export const text = "select uid from task where type like '%.apply'";\n`),
    says: /rows\.ts:1 matches a task type as text/,
  },
  {
    guard: "addresses",
    finds: "a machine-specific path",
    plant: source("docs/start.md", `first line\ncd ${machine("work", "main")}\n`),
    says: /docs\/start\.md:2 contains the machine-specific path \S+/,
  },
  {
    guard: "addresses",
    finds: "a path in a home folder",
    plant: source("docs/start.md", `cat ${machine("home", "somebody", ".npmrc")}\n`),
    says: /docs\/start\.md:1 contains the machine-specific path \S+/,
  },
  {
    guard: "addresses",
    finds: "the path of the tree itself",
    plant: (tree) => tree.write("docs/start.md", `cd ${tree.root}\n`),
    says: /docs\/start\.md:1 contains the machine-specific path \S+/,
  },
  {
    guard: "addresses",
    finds: "the host of a registry",
    plant: source(".npmrc", `registry=https://${["registry", "npmjs", "org"].join(".")}/\n`),
    says: /\.npmrc:1 names the package registry registry\./,
  },
  {
    guard: "addresses",
    finds: "a download address in the lock file",
    plant: (tree) =>
      tree.edit(
        "package-lock.json",
        (json) => (json.packages["node_modules/pino"] = { resolved: "https://example.com/pino.tgz" }),
      ),
    says: /package-lock\.json has a download address for node_modules\/pino/,
  },
  ...patternViolations,
  {
    guard: "format",
    finds: "an unformatted file",
    plant: source(rows, `export const readRows = 'rows'\n`),
    says: /packages\/store\/src\/rows\.ts/,
  },
  {
    guard: "types",
    finds: "a wrong type",
    plant: source(rows, `export const readRows: number = "rows";\n`),
    says: /rows\.ts\(1,14\): error TS2322/,
  },
  {
    guard: "types",
    finds: "syntax that type stripping cannot erase",
    plant: source(rows, `export enum Row {\n  First,\n}\n`),
    says: /rows\.ts\(1,13\): error TS1294/,
  },
  {
    guard: "lint",
    finds: "a cycle of imports",
    plant: (tree) => {
      tree.write(rows, `import { first } from "./first.ts";\n\nexport const readRows = (): number => first() + 1;\n`);
      tree.write(
        "packages/store/src/first.ts",
        `import { second } from "./second.ts";\n\nexport const first = (): number => second();\n`,
      );
      tree.write(
        "packages/store/src/second.ts",
        `import { readRows } from "./rows.ts";\n\nexport const second = (): number => readRows();\n`,
      );
    },
    says: /import\(no-cycle\): Dependency cycle detected/,
  },
  {
    guard: "lint",
    finds: "a cycle of imports closed by types only",
    plant: (tree) => {
      tree.write(rows, `import { first } from "./first.ts";\n\nexport const readRows = (): number => first();\n`);
      tree.write(
        "packages/store/src/first.ts",
        `import type { readRows } from "./rows.ts";\n\nexport const first = (of?: typeof readRows): number => of?.() ?? 0;\n`,
      );
    },
    says: /import\(no-cycle\): Dependency cycle detected/,
  },
  {
    guard: "lint",
    finds: "process.env outside platform",
    plant: source(rows, `export const readRows = process.env["CLOUDWRIGHT_HOME"];\n`),
    says: /'process\.env' is restricted from being used[\s\S]*packages\/platform/,
  },
  {
    guard: "lint",
    finds: "a destructured process.env outside platform",
    plant: source(rows, `const { env } = process;\n\nexport const readRows = env["CLOUDWRIGHT_HOME"];\n`),
    says: /'process\.env' is restricted from being used/,
  },
  {
    guard: "lint",
    finds: "the environment imported from node:process",
    plant: source(rows, `import { env } from "node:process";\n\nexport const readRows = env["CLOUDWRIGHT_HOME"];\n`),
    says: /'node:process' import is restricted/,
  },
  {
    guard: "lint",
    finds: "a default export",
    plant: source(rows, `export default function readRows(): number {\n  return 1;\n}\n`),
    says: /import\(no-default-export\)/,
  },
  {
    guard: "lint",
    finds: "a floating promise",
    plant: source(
      rows,
      `const work = async (): Promise<number> => await Promise.resolve(1);\n\nexport function readRows(): void {\n  work();\n}\n`,
    ),
    says: /typescript\(no-floating-promises\)/,
  },
  {
    guard: "lint",
    finds: "a promise used as a condition",
    plant: source(
      rows,
      `const work = async (): Promise<boolean> => await Promise.resolve(true);\n\nexport const readRows = (): number => (work() ? 1 : 0);\n`,
    ),
    says: /typescript\(no-misused-promises\)/,
  },
  {
    guard: "lint",
    finds: "a switch with a missing case",
    plant: source(
      rows,
      `export function readRows(kind: "a" | "b"): number {\n  switch (kind) {\n    case "a":\n      return 1;\n  }\n  return 0;\n}\n`,
    ),
    says: /typescript\(switch-exhaustiveness-check\)/,
  },
  {
    guard: "lint",
    finds: "a test with .only",
    plant: source(
      "packages/store/src/rows.test.ts",
      `import { expect, test } from "vitest";\n\ntest.only("one", () => {\n  expect(1).toBe(1);\n});\n`,
    ),
    says: /vitest\(no-focused-tests\)/,
  },
  {
    guard: "lint",
    finds: "a TODO comment",
    plant: source(rows, `// ${["TO", "DO"].join("")}: all of it\nexport const readRows = 1;\n`),
    says: /no-warning-comments/,
  },
  {
    guard: "lint",
    finds: "a file of more than 400 lines",
    plant: source(rows, `export const readRows = [\n${"  1,\n".repeat(400)}];\n`),
    says: /eslint\(max-lines\)/,
  },
  {
    guard: "dead-code",
    finds: "an unused export",
    plant: source(rows, `export const readRows = 1;\nexport const leftover = 2;\n`),
    says: /Unused exports[\s\S]*leftover/,
  },
  {
    guard: "dead-code",
    finds: "an unused file",
    plant: source("packages/store/src/leftover.ts", `console.log("nobody");\n`),
    says: /Unused files[\s\S]*packages\/store\/src\/leftover\.ts/,
  },
  {
    guard: "dead-code",
    finds: "an unused dependency",
    plant: (tree) => tree.edit("packages/store/package.json", (json) => (json.dependencies.pino = "10.4.0")),
    says: /Unused dependencies[\s\S]*pino/,
  },
];

// These two guards check the contract's files and are tested separately.
const elsewhere = ["contract", "generated"];
const here = checks.filter(({ name }) => !elsewhere.includes(name));

// Each guard runs as a separate process, and the machine may be busy.
const patience = { timeout: 60_000 };

test.for(here)("a clean tree passes $name", patience, (check) => {
  using tree = plantTree();
  expect(runCheck(check, tree.root)).toMatchObject({ ok: true });
});

test.for(violations)("$guard finds $finds", patience, ({ guard, plant, says }) => {
  using tree = plantTree();
  plant(tree);
  const { ok, output } = runCheck(
    here.find(({ name }) => name === guard)!,
    tree.root,
  );
  expect(output).toMatch(says);
  expect(ok).toBe(false);
});

test("patterns accepts linear expressions, and slow ones in tests", patience, () => {
  using tree = plantTree();
  tree.write(rows, 'export const words = [/^[a-z]+$/, /\\s+/g, /\\[.*/s, new RegExp("^(?:ab)+$"), RegExp("^-|-$", "g")];\n');
  for (const file of ["rows.test.ts", "testing/rows.ts", "gen/rows.ts"]) tree.write(`packages/store/src/${file}`, "/^(a+)+$/;\n");
  const check = here.find(({ name }) => name === "patterns")!;
  expect(runCheck(check, tree.root)).toEqual({ ok: true, output: "" });
});

test("every guard has a planted violation", () => {
  const planted = new Set(violations.map(({ guard }) => guard));
  expect([...planted].toSorted()).toEqual(here.map(({ name }) => name).toSorted());
});
