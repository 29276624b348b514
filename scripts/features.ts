import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findUnknownIds, listClaims, readCatalogue, type Claim } from "./features/claims.ts";
import { readClaimedIds, renderPage } from "./features/page.ts";
import { listRecords } from "./features/record.ts";

// npm run features [-- --json | --write | --check]: lists the tests of each feature id and whether they passed in their last run.
const { values } = parseArgs({
  options: {
    root: { type: "string", default: join(import.meta.dirname, "..") },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
});
const page = join(values.root, "docs", "features.md");
const sections = await readCatalogue(values.root);
const records = await listRecords(values.root);
const claims = listClaims(sections, records);

for (const id of findUnknownIds(sections, records))
  fail(`a test title contains the id ${id}, which is missing from docs/catalogue.json`);
if (values.check) await checkPage();
else if (values.write) await writeFile(page, renderPage(sections, claims));
else if (values.json) for (const claim of claims) console.log(JSON.stringify(claim));
else printClaims();

async function checkPage(): Promise<void> {
  if (!existsSync(page)) return fail("docs/features.md is missing: run npm run features -- --write");
  const byId = new Map(claims.map((claim) => [claim.id, claim]));
  const claimed = readClaimedIds(await readFile(page, "utf8"));
  for (const id of claimed) {
    const claim = byId.get(id);
    if (claim?.state !== "passed")
      fail(`docs/features.md claims ${id}, but in the last run it was ${claim?.state ?? "unknown"}${why(claim)}`);
  }
  const missing = claims.filter((claim) => claim.state === "passed" && !claimed.includes(claim.id)).map((claim) => claim.id);
  if (missing.length > 0) fail(`docs/features.md lacks ${missing.join(" ")}: run npm run features -- --write`);
  console.log(`features: ${claimed.length} of ${claims.length} claimed`);
}

function why(claim: Claim | undefined): string {
  const first = claim?.tests.find((test) => test.state !== "passed");
  return first === undefined ? "" : ` (${first.file}: ${first.title}${first.reason === undefined ? "" : `, ${first.reason}`})`;
}

function printClaims(): void {
  for (const claim of claims) {
    console.log(`${claim.id}  ${claim.state.padEnd(8)}  ${claim.what}`);
    for (const test of claim.tests) console.log(`        ${test.state.padEnd(8)}  ${test.file}: ${test.title}`);
  }
  const count = (state: string): number => claims.filter((claim) => claim.state === state).length;
  console.log(
    `${claims.length} ids: ${["passed", "failed", "skipped", "untested"].map((state) => `${count(state)} ${state}`).join(", ")}`,
  );
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
