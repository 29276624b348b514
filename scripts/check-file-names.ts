import { basename } from "node:path/posix";
import { listTrackedFiles, report } from "./workspace.ts";

// A file name must say what the file contains, and these words do not. Generated files and data files are exempt.
const banned = new Set(["util", "utils", "helper", "helpers", "common", "types", "misc"]);
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;

const files = listTrackedFiles(process.cwd()).filter(isSource);
report("file names", [...files.flatMap(checkName), ...checkNumbers(files)]);

function isSource(file: string): boolean {
  return /\.(ts|tsx|js|mjs|sql)$/.test(file) && !/(^|\/)gen\//.test(file);
}

function checkName(file: string): string[] {
  const name = basename(file);
  const ideas = [...file.split("/").slice(0, -1), name.slice(0, name.indexOf("."))];
  const vague = ideas.find((idea) => banned.has(idea));
  if (vague !== undefined) return [`${file}: "${vague}" is too vague; name what the file contains`];
  return kebab.test(name) || name.endsWith(".sql") ? [] : [`${file}: file names are kebab-case`];
}

/** Migrations run once per number. If two files had the same number, one of them would never run on a new database. */
function checkNumbers(names: readonly string[]): string[] {
  const migrations = names.filter((file) => /\/migrations\/\d+_[^/]*\.sql$/.test(file));
  const byNumber = Map.groupBy(migrations, (file) => file.replace(/_[^/]*$/, ""));
  return [...byNumber.values()]
    .filter(({ length }) => length > 1)
    .map((same) => `${same.join(" and ")} have the same number; give the newer migration the next free one`);
}
