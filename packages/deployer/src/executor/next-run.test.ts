import { expect, test } from "vitest";
import { findNextRun } from "./next-run.ts";

test("M115 an apply can request another run, but the same one only once in a row", () => {
  expect(findNextRun({}, {})).toBeUndefined();
  expect(findNextRun({ next_run: "" }, {})).toBeUndefined();
  expect(findNextRun({ next_run: "delete a" }, {})).toBe("delete a");
  expect(findNextRun({ next_run: "delete a" }, { next_run: "delete b" })).toBe("delete a");
  expect(findNextRun({ next_run: "delete a" }, { next_run: "delete a" })).toBeUndefined();
});
