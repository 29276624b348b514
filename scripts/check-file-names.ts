import { basename } from "node:path/posix";
import { listTrackedFiles, report } from "./workspace.ts";

// A file name must say what the file contains. These words do not. Generated files and data files are exempt.
const banned = new Set(["util", "utils", "helper", "helpers", "common", "types", "misc"]);
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;

report("file names", listTrackedFiles(process.cwd()).filter(isSource).flatMap(checkName));

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
