import { expect, test } from "vitest";
import { renderAge } from "./age.ts";
import { columnsOf } from "./columns.ts";
import { createPaint } from "./paint.ts";
import type { Sink } from "../world.ts";
import { createLiveTable, renderTable } from "./table.ts";

const columns = [
  { title: "NAME", value: (row: string[]) => row[0] ?? "" },
  { title: "PHASE", value: (row: string[]) => row[1] ?? "" },
];

test("M003 a table is as wide as its content and has no trailing spaces", () => {
  expect(
    renderTable(columns, [
      ["a-long-name", "RUNNING"],
      ["b", ""],
    ]),
  ).toEqual(["NAME         PHASE", "a-long-name  RUNNING", "b"]);
});

test("M003 control characters do not reach the terminal", () => {
  expect(renderTable(columns, [["a\u001b[31m", "x\ny"]])).toEqual(["NAME    PHASE", "a [31m  x y"]);
});

test("M003 a growing table has one heading and keeps its widths", () => {
  const table = createLiveTable(columns);
  expect(table([["abcdef", "X"]])).toEqual(["NAME    PHASE", "abcdef  X"]);
  expect(table([["a", "Y"]])).toEqual(["a       Y"]);
});

test.each([
  [0, "0s"],
  [119, "119s"],
  [120, "2m"],
  [7199, "119m"],
  [7200, "2h"],
  [172_800, "2d"],
])("M003 an age of %i seconds is printed as %s", (seconds, text) => {
  expect(renderAge("2026-01-01T00:00:00Z", Date.UTC(2026, 0, 1) + seconds * 1000)).toBe(text);
});

test.each([
  [{ workers: 3 }, {}, "3"],
  [{ workers: 3 }, { readyNodes: 1, wantedNodes: 3 }, "1/3"],
  [{ workers: 3 }, { readyNodes: 4, wantedNodes: 5 }, "4/5"],
  [{ workers: 3 }, { readyNodes: 4 }, "4"],
  [{}, { readyNodes: 2 }, "2"],
])("M120 the column for workers shows ready and desired nodes of all pools: %j %j", (spec, status, shown) => {
  const paint = createPaint({ isTTY: false } as Sink, {}, undefined);
  const column = columnsOf("Cluster", { nowMs: 0, wide: false, paint }).find(({ title }) => title === "WORKERS");
  expect(column?.value({ entity: { metadata: { name: "dev" }, spec, status } } as never)).toBe(shown);
});
