import { join } from "node:path";
import { checks } from "./checks.ts";
import { runCheck } from "./run-check.ts";

// npm run check [-- name ...]: runs all guards or the named ones, and reports every failure.
const root = join(import.meta.dirname, "..");
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !checks.some((check) => check.name === name));
if (unknown.length > 0) {
  console.error(`no such check: ${unknown.join(", ")}; available: ${checks.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
for (const check of checks.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const started = performance.now();
  const { ok, output } = runCheck(check, root);
  console.log(`${ok ? "ok  " : "FAIL"} ${check.name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  if (ok) continue;
  console.log(output);
  process.exitCode = 1;
}
