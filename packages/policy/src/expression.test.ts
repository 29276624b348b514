import fc from "fast-check";
import { expect, test } from "vitest";
import { compileExpression, type Bindings } from "./expression.ts";
import { policyLimits } from "./limits.ts";
import { Meter, stepsExceeded } from "./meter.ts";

const names = new Set(["list", "text", "any"]);

function problemOf(text: string): string | undefined {
  const compiled = compileExpression(text, names);
  return "problem" in compiled ? compiled.problem : undefined;
}

function evaluate(text: string, bindings: Bindings) {
  const compiled = compileExpression(text, names);
  if ("problem" in compiled) throw new Error(compiled.problem);
  return compiled.expression.evaluate(bindings, new Meter());
}

test("M222 an expression that can never be evaluated is rejected when it is compiled", () => {
  const refused = [
    "",
    "1 +",
    "nobody",
    "list.all(x, y)",
    "[x].all(x, true)",
    "nothing(1)",
    "size()",
    "size(list, list)",
    "text.nothing()",
    "glob(text)",
    "text.at('a')",
    "now()",
    "Message{a: 1}",
    "text.matches(text)",
    "text.matches('(')",
    `text.matches('${"a".repeat(policyLimits.patternChars + 1)}')`,
    "constructor",
    "__proto__",
    "toString()",
    "text.hasOwnProperty('a')",
    "list[?0]",
    "{?'a': 1}",
    "has(list)",
  ];
  expect(refused.filter((text) => problemOf(text) === undefined)).toEqual([]);
  const accepted = ["true", "type(text) == string", "{'a': 1}.a == 1", "list.exists(x, [x].all(y, y == x))"];
  expect(accepted.map(problemOf).filter((problem) => problem !== undefined)).toEqual([]);
});

test("M222 an expression that is too long, too large or too deep is rejected", () => {
  const refused = [
    `1${"+1".repeat(policyLimits.expressionChars)}`,
    `1${"+1".repeat(policyLimits.expressionNodes)}`,
    `${"[".repeat(100)}1${"]".repeat(100)}`,
    `${"type(".repeat(100)}1${")".repeat(100)}`,
    "list.all(a, list.all(b, list.all(c, list.all(d, true))))",
    "list.map(a, list.map(b, list.map(c, list.map(d, d))))",
  ];
  expect(refused.filter((text) => problemOf(text) === undefined)).toEqual([]);
  expect(() => problemOf(`${"(".repeat(999)}1${")".repeat(999)}`)).not.toThrow();
});

test("M222 every expression stops after a fixed number of steps", () => {
  const list = Array.from({ length: 2000 }, (_, index) => BigInt(index));
  const grown = `[text]${".map(a, a + a + a + a + a + a + a + a)".repeat(12)}[0] == ''`;
  const deep = Array.from({ length: 100 }, () => list.slice(0, 1000));
  const costly: [string, Bindings][] = [
    ["list.all(a, list == list)", { list: deep }],
    ["list.all(a, a in list)", { list: deep }],
    ["list.all(a, list.all(b, a + b >= 0))", { list }],
    ["list.all(a, list == list)", { list }],
    ["list.filter(a, true).size() > 0", { list }],
    // `||` can hide an error, but not an exceeded step limit.
    ["list.all(a, list.all(b, list.all(c, true))) || true", { list }],
    [grown, { text: "x".repeat(100) }],
  ];
  for (const [text, bindings] of costly) expect({ text, ...evaluate(text, bindings) }).toEqual({ text, error: stepsExceeded });
});

test("M222 strings and patterns that are too long are not matched", () => {
  const long = "x".repeat(policyLimits.searchedChars + 1);
  const fits = long.slice(1);
  for (const text of ["text.matches('x+')", "glob(text, 'x*')"]) {
    expect({ text, ...evaluate(text, { text: long }) }).toEqual({ text, error: expect.any(String) });
    expect({ text, ...evaluate(text, { text: fits }) }).toEqual({ text, value: true });
    const often = `list.all(a, ${text})`;
    expect(evaluate(often, { text: fits, list: Array.from({ length: 20 }, () => 1n) })).toEqual({ error: stepsExceeded });
  }
  expect(evaluate("glob('x', text)", { text: "*".repeat(policyLimits.patternChars) })).toEqual({ value: true });
  expect(evaluate("glob('x', text)", { text: "*".repeat(policyLimits.patternChars + 1) })).toEqual({ error: expect.any(String) });
});

test("M222 the same expression takes the same number of steps every time", () => {
  const list = Array.from({ length: 990 }, (_, index) => BigInt(index));
  const answers = Array.from({ length: 3 }, () => evaluate("list.all(a, list.exists(b, b == a))", { list }));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
});

test("M222 any input is either compiled or rejected, and any expression returns a value or an error", () => {
  const words = fc.constantFrom(
    "list",
    "text",
    "any",
    "(",
    ")",
    "[",
    "]",
    ".",
    "all(x,",
    "x",
    "+",
    "==",
    "&&",
    "||",
    "!",
    "?",
    ":",
    "1",
    "'a'",
    "in",
    "has(",
    "size(",
    "at('a',",
    "null",
    "{",
    "}",
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(words, { maxLength: 15 }).map((parts) => parts.join(" ")),
  );
  fc.assert(
    fc.property(text, (any) => {
      const compiled = compileExpression(any, names);
      if ("problem" in compiled) return;
      const evaluated = compiled.expression.evaluate({ list: [1n], text: "a", any: null }, new Meter());
      expect("error" in evaluated ? evaluated.error : evaluated.value).toBeDefined();
    }),
    { numRuns: 500 },
  );
});
