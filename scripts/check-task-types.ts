import { parseTaskType, taskTypes } from "@cloudwright/contract/task-types";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listTrackedFiles, report } from "./workspace.ts";

// Task types are a closed set with typed parts. Code that compares or splits their names as text would not notice when the set changes.
const root = process.cwd();
const types = taskTypes.flatMap((name) => parseTaskType(name) ?? []);
const services = [...new Set(types.map(({ service }) => service))].join("|");
const actions = [...new Set(types.map(({ actionWord }) => actionWord))].join("|");
const matches = [
  new RegExp(`\\.endsWith\\(["'\`]\\.(?:${actions})["'\`]\\)`),
  new RegExp(`\\.startsWith\\(["'\`](?:${services})\\.["'\`]\\)`),
  new RegExp(`\\blike '%\\.(?:${actions})'`),
  /\b(?:task\.|\.)?type\??\.split\(["'`]\.["'`]\)/,
];

report("task-types", listTrackedFiles(root).filter(isProduct).flatMap(checkFile));

function checkFile(file: string): string[] {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  return lines.flatMap((line, index) =>
    matches.some((match) => match.test(line))
      ? [`${file}:${index + 1} matches a task type as text; use contract/task-types`]
      : [],
  );
}

function isProduct(file: string): boolean {
  return /^(apps|packages|bench|e2e)\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$|^packages\/(simulator|terraform)\//.test(file);
}
