import { expect, test } from "vitest";
import { parseAnsi } from "./ansi.ts";

const textOf = (line: string): string =>
  parseAnsi(line)
    .map(({ text }) => text)
    .join("");

test("M015 a line of a log is shown with its colours and without what commands a terminal", () => {
  expect(parseAnsi("a \u001B[31mred\u001B[0m b")).toEqual([
    { text: "a ", paint: "" },
    { text: "red", paint: "cw-err" },
    { text: " b", paint: "" },
  ]);
  expect(textOf("\u001B]8;;javascript:alert(1)\u001B\\link\u001B]8;;\u001B\\ end")).toBe("link end");
  expect(textOf("\u001B]0;title\u0007text\u001B[2K\u001B[1;1H")).toBe("text");
  expect(textOf("\u001B]8;;never ended")).toBe("");
  expect(textOf("safe\u202Eexe.txt\u2069\u0000\u009B31m")).toBe("safeexe.txt31m");
  expect(textOf("<img src=x onerror=alert(1)>")).toBe("<img src=x onerror=alert(1)>");
});
