import { readFileSync } from "node:fs";
import { join } from "node:path";
import { analyse, type Report } from "scslre";
import { listPatterns, listRulePatterns, type Pattern } from "./list-patterns.ts";
import { listTrackedFiles, report } from "./workspace.ts";

// JavaScript's regular expressions backtrack. A caller could block the process with a long text that a careless expression needs quadratic
// or exponential time to reject. The analysis looks for texts that repeat a single character.
const root = process.cwd();
const problems = new Map<string, string[]>();

report("patterns", listTrackedFiles(root).flatMap(checkFile));

function checkFile(file: string): string[] {
  return readPatterns(file).flatMap((pattern) => {
    const name = `/${pattern.source}/${pattern.flags}`;
    const known = problems.get(name) ?? findProblems(pattern);
    problems.set(name, known);
    return known.map((problem) => `${file}:${pattern.line} ${name} ${problem}`);
  });
}

function readPatterns(file: string): Pattern[] {
  const isCode = /^(apps|packages)\/[^/]+\/src\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$|\/(gen|testing|fixtures)\//.test(file);
  if (isCode) return listPatterns(file, readFileSync(join(root, file), "utf8"));
  return /^packages\/.*\.proto$/.test(file) ? listRulePatterns(readFileSync(join(root, file), "utf8")) : [];
}

function findProblems({ source, flags }: Pattern): string[] {
  try {
    // An expression such as `/\s+/g` always matches, so it never backtracks. Without this option, the analysis would report it.
    const { reports } = analyse({ source, flags }, { assumeRejectingSuffix: false });
    return [...new Set(reports.map(describe))];
  } catch (error) {
    // A placeholder for an interpolated value can make a valid expression invalid.
    return isValid(source, flags) ? [`cannot be analysed: ${(error as Error).message}`] : [];
  }
}

function isValid(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

function describe({ type, exponential, character }: Report): string {
  const cost = `takes ${exponential ? "exponential" : "quadratic"} time on a text with a long run of ${JSON.stringify(character.pick)}`;
  return type === "Move"
    ? `${cost}, because the search starts again at each of them; anchor it, limit the repetition, or use a function such as trimEnd`
    : `${cost}, because two repetitions can share them; make the repetitions disjoint, limit one, or use string functions`;
}
