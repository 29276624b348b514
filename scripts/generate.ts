/**
 * Regenerates all tracked files that are derived from the proto files, the fault registries and layers.json. With `--check` it changes
 * nothing, lists the outdated files and exits with code 1 if there are any.
 */
import { join } from "node:path";
import { contractFolder, generateContract } from "./generate-contract.ts";
import { generateErrors } from "./generate-errors.ts";
import { generateReadme } from "./generate-map.ts";
import { syncFiles } from "./sync-files.ts";

const root = join(import.meta.dirname, "..");
const write = !process.argv.includes("--check");

const contract = syncFiles({ root, files: generateContract(root), owned: [`${contractFolder}/gen`], write });

// Imported only here, because these modules read the code that was just generated.
const { printApiReference } = await import("../packages/contract/scripts/print-api-reference.ts");
const { printConditions } = await import("../packages/contract/scripts/print-conditions.ts");
const pages = new Map([
  ["docs/reference/api.md", printApiReference()],
  ["docs/reference/conditions.md", printConditions()],
  ["docs/reference/errors.md", await generateErrors(root)],
  ["README.md", generateReadme(root)],
]);
const changed = [...contract, ...syncFiles({ root, files: pages, write })];

for (const path of changed) console.log(`${write ? "written" : "out of date"}: ${path}`);
if (!write && changed.length > 0) {
  console.log("Run `npm run generate` and commit the result.");
  process.exitCode = 1;
}
