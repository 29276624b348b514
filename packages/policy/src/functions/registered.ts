import { CelScalar, celFunc, celList, celMethod, listType, type CelFunc } from "@bufbuild/cel";
import { policyLimits } from "../limits.ts";
import { cidrContains, cidrOverlaps } from "./cidr.ts";
import { findAt } from "./find-at.ts";
import { matchesGlob } from "./glob.ts";
import { parseQuantity } from "./quantity.ts";
import { compareSemver } from "./semver.ts";

const { BOOL, DOUBLE, DYN, INT, STRING } = CelScalar;
const list = listType(DYN);

/** Functions that expressions can call in addition to CEL's own. An invalid argument is an evaluation error. */
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
  // CEL's own `+` nests the joined lists, so reading n elements takes quadratic time. Copying the elements takes only as many steps as the
  // meter counts.
  celFunc("_+_", [list, list], list, (a, b) => celList([...a, ...b])),
];
