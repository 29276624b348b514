import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");

test("every path in the README exists", () => {
  const paths = [...readme.matchAll(/`((?:packages|apps|e2e|bench|scripts|docs|infra|policies)\/[^`\s]+)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => globSync(path.replaceAll(/<[a-z]+>/g, "*"), { cwd: root }).length === 0)).toEqual([]);
});

test("the README names the migration that defines a function as it is now", () => {
  const folder = join(root, "packages", "store", "src", "migrations");
  const migrations = readdirSync(folder).toSorted();
  const named = [...readme.matchAll(/`([a-z_]+)` in `(?:packages\/store\/src\/migrations\/)?(\d{4}_\w+\.sql)`/g)];
  expect(named.map(([, name]) => name)).toEqual(["lease_tasks", "finish_tasks", "renew_tasks"]);
  for (const [, name = "", file] of named) {
    const defining = new RegExp(`create (or replace )?function ${name}\\b`);
    expect(migrations.findLast((migration) => defining.test(readFileSync(join(folder, migration), "utf8")))).toBe(file);
  }
});
