import { expect, test } from "vitest";
import { parseAnsi } from "./ansi.ts";
import { arrangeRows, type Column } from "./arrange-rows.ts";

type Row = { readonly name: string; readonly size: number };
const columns: readonly Column<Row>[] = [
  { id: "name", title: "Name", text: ({ name }) => name },
  { id: "size", title: "Size", text: ({ size }) => `${size} GiB`, order: ({ size }) => size },
];
const rows: readonly Row[] = [
  { name: "c10", size: 9 },
  { name: "c2", size: 100 },
  { name: "d1", size: 20 },
];
const names = (filter: string, id?: string, down = false): string[] =>
  arrangeRows(rows, columns, filter, id === undefined ? undefined : { id, down }).map(({ name }) => name);

test("M031 rows match every word of the filter and are sorted in natural order", () => {
  expect(names("")).toEqual(["c10", "c2", "d1"]);
  expect(names("C gib")).toEqual(["c10", "c2"]);
  expect(names("nothing")).toEqual([]);
  expect(names("", "name")).toEqual(["c2", "c10", "d1"]);
  expect(names("", "size", true)).toEqual(["c2", "d1", "c10"]);
});

test("M077 terminal colours become classes, and control characters are removed", () => {
  expect(parseAnsi("\u001B[31mred\u001B[0m \u001B[2Kplain\u0007")).toEqual([
    { text: "red", paint: "cw-err" },
    { text: " ", paint: "" },
    { text: "plain", paint: "" },
  ]);
  expect(parseAnsi("aws_vpc.this: create finished after 1 s")[0]?.paint).toBe("cw-done");
});
