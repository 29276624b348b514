import { expect, test } from "vitest";
import { parseAnsi } from "./ansi.ts";

const esc = "\u001B";

test("M077 colours and bold text are rendered, and no control character remains", () => {
  expect(parseAnsi(`${esc}[1m${esc}[31mError:${esc}[0m no ${esc}[0;32mgood${esc}[22m ${esc}[95mend${esc}[K\u0007`)).toEqual([
    { text: "Error:", paint: "cw-err cw-bold" },
    { text: " no ", paint: "" },
    { text: "good", paint: "cw-done" },
    { text: " ", paint: "cw-done" },
    { text: "end", paint: "cw-odd" },
  ]);
});

test("M077 the platform's own messages are coloured by their words", () => {
  expect(parseAnsi("aws_vpc.x: create finished after 1 s")[0]?.paint).toBe("cw-done");
  expect(parseAnsi("error: denied")[0]?.paint).toBe("cw-err");
});

test("M015 terminal commands and text direction overrides are removed", () => {
  const textOf = (line: string): string =>
    parseAnsi(line)
      .map(({ text }) => text)
      .join("");
  expect(textOf("\u001B]8;;javascript:alert(1)\u001B\\link\u001B]8;;\u001B\\ end")).toBe("link end");
  expect(textOf("\u001B]0;title\u0007text\u001B[2K\u001B[1;1H")).toBe("text");
  expect(textOf("\u001B]8;;never ended")).toBe("");
  expect(textOf("safe\u202Eexe.txt\u2069\u0000\u009B31m")).toBe("safeexe.txt31m");
  expect(textOf("<img src=x onerror=alert(1)>")).toBe("<img src=x onerror=alert(1)>");
});
