import { expect, test } from "vitest";
import { parseAnsi } from "./ansi.ts";

const esc = "\u001B";

test("M077 colours, bold and their end are painted, and no control character is left", () => {
  expect(parseAnsi(`${esc}[1m${esc}[31mError:${esc}[0m no ${esc}[0;32mgood${esc}[22m ${esc}[95mend${esc}[K\u0007`)).toEqual([
    { text: "Error:", paint: "cw-err cw-bold" },
    { text: " no ", paint: "" },
    { text: "good", paint: "cw-done" },
    { text: " ", paint: "cw-done" },
    { text: "end", paint: "cw-odd" },
  ]);
});

test("M077 what the platform itself says is painted by its words", () => {
  expect(parseAnsi("aws_vpc.x: create finished after 1 s")[0]?.paint).toBe("cw-done");
  expect(parseAnsi("error: denied")[0]?.paint).toBe("cw-err");
});
