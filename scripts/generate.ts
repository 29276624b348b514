/**
 * Regenerates what is derived from the proto files and the fault registries, and is checked in all the same.
 * `--check` changes nothing, names what is not clean and ends with 1.
 */
import { join } from "node:path";
import { contractFolder, generateContract } from "./generate-contract.ts";
import { generateErrors } from "./generate-errors.ts";
import { syncFiles } from "./sync-files.ts";

const root = join(import.meta.dirname, "..");
const write = !process.argv.includes("--check");

const contract = syncFiles({ root, files: generateContract(root), owned: [`${contractFolder}/gen`], write });

// Loaded only now: they read the code that was just generated.
const { printApiReference } = await import("../packages/contract/scripts/print-api-reference.ts");
const { printConditions } = await import("../packages/contract/scripts/print-conditions.ts");
const pages = new Map([
  ["docs/reference/api.md", printApiReference()],
  ["docs/reference/conditions.md", printConditions()],
  ["docs/reference/errors.md", await generateErrors(root)],
]);
const changed = [...contract, ...syncFiles({ root, files: pages, write })];

for (const path of changed) console.log(`${write ? "written" : "not clean"}: ${path}`);
if (!write && changed.length > 0) {
  console.log("Run `npm run generate` and commit what it writes.");
  process.exitCode = 1;
}
