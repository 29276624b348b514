import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listKindComparisons, mostKindComparisons as most } from "./list-kind-comparisons.ts";
import { listTrackedFiles, report } from "./workspace.ts";

// Everything specific to a kind must be in that kind's own file. Generic code may compare kind names in a few places only.
const root = process.cwd();
const found = listTrackedFiles(root)
  .filter(isGeneric)
  .flatMap((file) =>
    listKindComparisons(file, readFileSync(join(root, file), "utf8")).map(({ line, text }) => `${file}:${line} ${text}`),
  );
report(
  "kinds",
  found.length > most ? [...found, `${found.length} comparisons with the name of a kind; at most ${most} are allowed`] : [],
);

/**
 * Returns whether a file is generic product code. Kind-specific files are in folders named `kinds` and in the reconciler's folder for each
 * kind.
 */
function isGeneric(file: string): boolean {
  return (
    /^(apps|packages)\/[^/]+\/src\/.*\.tsx?$/.test(file) &&
    !/\.(test|e2e)\.tsx?$|\/(gen|testing|fixtures|kinds)\/|\/testing\.ts$/.test(file) &&
    !/^packages\/reconciler\/src\/(account|network|cluster|node-pool|storage)\//.test(file)
  );
}
