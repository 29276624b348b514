import { expect, test } from "vitest";
import { createBodyBudget, type HeldBody } from "./body-budget.ts";

const limits = { perCaller: 100, total: 150 };

const codeOf = (held: HeldBody, bytes: number): string => {
  try {
    held.add(bytes);
    return "added";
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test("X063 a caller's bodies are limited across all its requests, and no longer count when the requests end", () => {
  const budget = createBodyBudget(limits);
  const [first, second] = [budget.open("a"), budget.open("a")];
  expect([codeOf(first, 60), codeOf(second, 40), codeOf(first, 1)]).toEqual(["added", "added", "api.bodies_busy"]);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  expect([budget.total(), codeOf(second, 60), codeOf(second, 1)]).toEqual([40, "added", "api.bodies_busy"]);
  second[Symbol.dispose]();
  expect(budget.total()).toBe(0);
});

test("X063 callers that fill the whole budget lock out their own further requests, but not a caller without requests", () => {
  const budget = createBodyBudget(limits);
  const [a, b, c] = [budget.open("a"), budget.open("b"), budget.open("c")];
  expect([codeOf(a, 100), codeOf(b, 50), codeOf(c, 80)]).toEqual(["added", "added", "added"]);
  expect(codeOf(budget.open("b"), 1)).toBe("api.bodies_full");
  expect(codeOf(budget.open("c"), 1)).toBe("api.bodies_full");
});

test("X063 a body whose announced size exceeds the caller's limit is refused before any of it is counted", () => {
  const budget = createBodyBudget(limits);
  expect(() => budget.open("a").requireRoom(101)).toThrow(expect.objectContaining({ code: "api.bodies_busy" }));
  expect(budget.total()).toBe(0);
});
