import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "../faults.ts";

/** An exact version, or a range in Terraform's syntax: `1.11.4`, `~> 1.9`, `>= 1.9, < 2.0, != 1.10.0`. */
export interface VersionRange {
  readonly text: string;
  /** Set if the range is a single version. */
  readonly exact: string | undefined;
  has(version: string): boolean;
}

export function parseVersionRange(text: string): VersionRange {
  const terms = text.split(",").map((term) => parseTerm(term.trim(), text));
  const exact = terms.length === 1 && terms[0]?.operator === "=" ? terms[0].version : undefined;
  return {
    text,
    exact,
    // A pre-release matches only if it is requested explicitly.
    has: (version) =>
      isVersion(version) && (exact === version || !version.includes("-")) && terms.every((term) => term.admits(version)),
  };
}

export function isVersion(text: string): boolean {
  return versionPattern.test(text);
}

/** Compares versions. A pre-release is lower than its release. */
export function compareVersions(a: string, b: string): number {
  const left = split(a);
  const right = split(b);
  for (const index of [0, 1, 2]) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.tag === right.tag) return 0;
  if (left.tag === "" || right.tag === "") return left.tag === "" ? 1 : -1;
  return left.tag.localeCompare(right.tag, "en", { numeric: true });
}

const versionPattern = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;
const termPattern = /^(?<operator>=|!=|>=|<=|>|<|~>)?\s*(?<version>\d+(\.\d+){0,2}(-[0-9A-Za-z.-]+)?)$/;

interface Term {
  readonly operator: string;
  readonly version: string;
  admits(version: string): boolean;
}

function parseTerm(term: string, whole: string): Term {
  const { operator = "=", version: written } = termPattern.exec(term)?.groups ?? {};
  if (written === undefined) {
    throw new Fault(
      terraformFaults.bad_version,
      `${JSON.stringify(whole.slice(0, 100))} is neither a version nor a version range`,
    );
  }
  const parts = written.split("-", 1)[0]?.split(".").length ?? 3;
  const version = written.replace(/^[\d.]+/, (numbers) => [...numbers.split("."), "0", "0"].slice(0, 3).join("."));
  const admits = (candidate: string): boolean => {
    const order = compareVersions(candidate, version);
    switch (operator) {
      case "!=":
        return order !== 0;
      case ">=":
        return order >= 0;
      case "<=":
        return order <= 0;
      case ">":
        return order > 0;
      case "<":
        return order < 0;
      case "~>":
        return order >= 0 && isSameUpTo(candidate, version, Math.max(1, parts - 1));
      default:
        return order === 0;
    }
  };
  return { operator, version, admits };
}

// Implements `~>`: only the last given segment may increase.
function isSameUpTo(a: string, b: string, parts: number): boolean {
  return split(a).numbers.slice(0, parts).join(".") === split(b).numbers.slice(0, parts).join(".");
}

function split(version: string): { numbers: number[]; tag: string } {
  const [numbers = "", ...tag] = version.split("-");
  return { numbers: numbers.split(".").map(Number), tag: tag.join("-") };
}
