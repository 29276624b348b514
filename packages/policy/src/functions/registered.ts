import { CelScalar, celFunc, celList, celMethod, listType, type CelFunc } from "@bufbuild/cel";
import { policyLimits } from "../limits.ts";
import { cidrContains, cidrOverlaps } from "./cidr.ts";
import { findAt } from "./find-at.ts";
import { matchesGlob } from "./glob.ts";
import { parseQuantity } from "./quantity.ts";
import { compareSemver } from "./semver.ts";

const { BOOL, DOUBLE, DYN, INT, STRING } = CelScalar;
const list = listType(DYN);

/** What expressions can call beside CEL's own functions; an argument that makes no sense is an evaluation error. */
export const registeredFunctions: readonly CelFunc[] = [
  celFunc("quantity", [STRING], DOUBLE, parseQuantity),
  celFunc("cidrContains", [STRING, STRING], BOOL, cidrContains),
  celFunc("cidrOverlaps", [STRING, STRING], BOOL, cidrOverlaps),
  celFunc("semverCompare", [STRING, STRING], INT, (a, b) => BigInt(compareSemver(a, b))),
  celFunc("glob", [STRING, STRING], BOOL, (text, pattern) => {
    if (pattern.length > policyLimits.patternChars)
      throw new Error(`the pattern has more than ${policyLimits.patternChars} characters`);
    return matchesGlob(text, pattern);
  }),
  celMethod("at", DYN, [STRING, DYN], DYN, function at(path, otherwise) {
    return findAt(this, path, otherwise);
  }),
  // CEL's own joins lists by nesting them, which reads a list of n in n * n steps; a copy is what the meter was paid for.
  celFunc("_+_", [list, list], list, (a, b) => celList([...a, ...b])),
];
