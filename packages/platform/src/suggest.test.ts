import { expect, test } from "vitest";
import { didYouMean, suggest } from "./suggest.ts";

const fields = ["network", "version", "nodePools", "workers"];

test.each([
  ["netwrok", "network"],
  ["Version", "version"],
  ["nodepools", "nodePools"],
  ["worker", "workers"],
  ["spare", undefined],
  ["", undefined],
  ["network".repeat(100_000), undefined],
])("X085 %.20s is corrected to %s", (word, meant) => {
  expect(suggest(word, fields)).toBe(meant);
});

test("X085 a suggestion is rendered as a question, and as an empty string if there is none", () => {
  expect(didYouMean("netwrok", fields)).toBe(" (did you mean network?)");
  expect(didYouMean("spare", fields)).toBe("");
});
