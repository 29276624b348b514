import { expect, test } from "vitest";
import { findOverlaps, type DemoLine } from "./demo-journal.ts";

function line(event: DemoLine["event"], pid: number, entity = "e"): DemoLine {
  return { event, pid, entity, task: `t${pid}`, attempt: 1, at: 0 };
}

test("X020 a program overlaps if it writes after another program of its entity has started", () => {
  expect(findOverlaps([line("start", 1), line("start", 2), line("beat", 1)])).toMatchObject([
    { former: { pid: 1 }, latter: { pid: 2 } },
  ]);
});

test("X020 consecutive programs do not overlap, even if one was killed", () => {
  expect(findOverlaps([line("start", 1), line("end", 1), line("start", 2), line("start", 3), line("end", 3)])).toEqual([]);
  expect(findOverlaps([line("start", 1, "a"), line("start", 2, "b"), line("end", 1, "a"), line("end", 2, "b")])).toEqual([]);
});
