import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { listTrackedFiles, report } from "./workspace.ts";

// Tracked files must work on every machine, so they must not contain local paths or package registry hosts.
const root = process.cwd();
const registries = [
  ["registry", "npmjs", "org"],
  ["registry", "yarnpkg", "com"],
  ["pypi", "org"],
  ["files", "pythonhosted", "org"],
  ["deb", "debian", "org"],
  ["security", "debian", "org"],
  ["proxy", "golang", "org"],
  ["sum", "golang", "org"],
].map((labels) => labels.join("."));
const hosts = new RegExp(registries.map(escapePattern).join("|"), "i");
const homes = "/(?:work|root)(?![\\w-])|/(?:home|Users)/[\\w.-]+";
const paths = new RegExp(`(?<![\\w.}/-])(?:${[homes, ...ownPaths().map(escapePattern)].join("|")})`);

report("addresses", listTrackedFiles(root).flatMap(checkFile));

function checkFile(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  if (text.includes("\0")) return [];
  const violations = text.split("\n").flatMap((line, index) => checkLine(line).map((what) => `${file}:${index + 1} ${what}`));
  return file === "package-lock.json" ? [...violations, ...checkLock(text)] : violations;
}

function checkLine(line: string): string[] {
  const host = hosts.exec(line)?.[0];
  const path = paths.exec(line)?.[0];
  return [
    ...(host === undefined ? [] : [`names the package registry ${host}`]),
    ...(path === undefined ? [] : [`contains the machine-specific path ${path}`]),
  ];
}

// A download address in the lock file would make every user download from the author's registry.
function checkLock(text: string): string[] {
  const { packages } = JSON.parse(text) as { packages: Record<string, { resolved?: string; link?: boolean }> };
  return Object.entries(packages)
    .filter(([, { resolved, link }]) => resolved !== undefined && link !== true)
    .map(
      ([name]) =>
        `package-lock.json has a download address for ${name}; install with the .npmrc of this repository, which sets omit-lockfile-registry-resolved`,
    );
}

// Omits paths with a single segment, such as / or /app, because they would match ordinary text.
function ownPaths(): string[] {
  return [root, homedir()].filter((path) => path.split("/").filter((part) => part !== "").length > 1);
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
