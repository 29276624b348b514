import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { describe, expect, test } from "vitest";
import { compilePattern } from "./compile-pattern.ts";

const stepsOf = (pattern: string, text: string): number => {
  let steps = 0;
  compilePattern(pattern).test(text, (count) => (steps += count));
  return steps;
};

describe("patterns of schemas", () => {
  test("X063 the number of steps grows only linearly with the text, even for patterns that make backtracking exponential", () => {
    for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a*)*$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$", "^(a?){50}a{50}$"]) {
      const [short, long] = [100, 10_000].map((length) => stepsOf(pattern, `${"a".repeat(length)}!`));
      expect({ pattern, ratio: (long as number) / (short as number) }).toEqual({
        pattern,
        ratio: expect.toSatisfy((ratio: number) => ratio < 150),
      });
    }
  });

  test("X063 random patterns match the same texts as regular expressions", () => {
    const seed = chooseSeed();
    const { below: random, pick } = createRandom(seed);
    const atom = (depth: number): string =>
      depth > 2 || random(3) > 0
        ? pick([
            "a",
            "b",
            "-",
            "\\.",
            "\\d",
            "\\w",
            "\\D",
            "[ab]",
            "[^a]",
            "[a-c0-9_-]",
            "[\\d.]",
            "[]a]".replace("]a", "\\]a"),
            ".",
            "\\b",
          ])
        : pick([`(${alternatives(depth + 1)})`, `(?:${alternatives(depth + 1)})`]);
    const repeated = (depth: number): string => {
      const one = atom(depth);
      return one === "\\b" ? one : one + pick(["", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"]);
    };
    const sequence = (depth: number): string => Array.from({ length: 1 + random(3) }, () => repeated(depth)).join("");
    const alternatives = (depth: number): string => Array.from({ length: 1 + random(2) }, () => sequence(depth)).join("|");
    for (let round = 0; round < 3000; round++) {
      const pattern = pick(["", "^"]) + alternatives(0) + pick(["", "$"]);
      const text = Array.from({ length: random(8) }, () => pick(["a", "b", "c", "-", ".", "1", " ", "]", "\n", "é"])).join("");
      expect({ seed, pattern, text, matches: compilePattern(pattern).test(text) }).toEqual({
        seed,
        pattern,
        text,
        matches: new RegExp(pattern).test(text),
      });
    }
  });

  test("M130 patterns use RE2 syntax", () => {
    for (const [pattern, yes, no] of [
      ["(?i)^abc$", "aBC", "abd"],
      ["^(?i:a)b$", "Ab", "AB"],
      ["^[[:alpha:]_]+$", "ab_", "a1"],
      ["^\\p{Lu}\\pL*$", "Éa", "éa"],
      ["^\\x41\\x{42}\\Q.*\\E$", "AB.*", "ABxx"],
      ["\\Aa\\z", "a", "ba"],
      ["(?m)^b$", "a\nb", "ab"],
      ["(?s)a.b", "a\nb", "ab"],
      ["^(?P<name>a)(?<other>b)$", "ab", "ba"],
      ["^.$", "😀", "ab"],
      ["^[\\\\a]+$", "\\a", "b"],
      ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", "example.com", "a..b"],
      ["", "anything", undefined],
    ] as const) {
      expect({ pattern, matches: compilePattern(pattern).test(yes) }).toEqual({ pattern, matches: true });
      expect({ pattern, matches: no !== undefined && compilePattern(pattern).test(no) }).toEqual({ pattern, matches: false });
    }
  });

  test("X063 patterns that cannot be evaluated in linear time, and patterns that are too large, are rejected", () => {
    for (const pattern of [
      "(?=a)",
      "(?!a)",
      "(?<=a)",
      "(a)\\1",
      "a**",
      "a{1001}",
      "(a{1000}){1000}",
      "((((){1000}){1000}){1000}){1000}",
      "(".repeat(5000) + ")".repeat(5000),
      "[b-a]",
      "(a",
      "a)",
      "\\",
      "[a",
      "a".repeat(20_000),
      "\\p{Nonsense}",
    ])
      expect(() => compilePattern(pattern)).toThrow(SyntaxError);
  });
});
