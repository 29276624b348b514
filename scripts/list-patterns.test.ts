import { expect, test } from "vitest";
import { listPatterns, listRulePatterns } from "./list-patterns.ts";

test.for([
  ["const a = /b+c/gi;", "b+c", "gi"],
  ['const a = new RegExp("^b$", "u");', "^b$", "u"],
  ['const a = RegExp("b" + "c");', "bc", ""],
  ["const a = new RegExp(String.raw`\\d+`);", "\\d+", ""],
  ['export const b = "b+"; const c = `${b}c`; const a = new RegExp(`^${c}$`);', "^b+c$", ""],
  ["const a = (b: string) => new RegExp(`^${b}$`);", "^x$", ""],
  ['const a = (b: string) => new RegExp("^" + b);', "^x", ""],
])("finds the expression in %s", ([text, source, flags]) => {
  expect(listPatterns("a.ts", text as string)).toEqual([{ line: 1, source, flags }]);
});

test.for(["const a = 4 / 2 / 1;", "const a = (b: string) => new RegExp(b);", 'const a = new Set("b+");', "// /b+$/"])(
  "finds no expression in %s",
  (text) => {
    expect(listPatterns("a.ts", text)).toEqual([]);
  },
);

test("finds the pattern rules of a proto file", () => {
  const text = 'string a = 1 [(f).string.pattern = "^a\\\\.b$"];\nrules: {\n  pattern: "[\\"]+"\n}\n';
  expect(listRulePatterns(text)).toEqual([
    { line: 1, source: "^a\\.b$", flags: "u" },
    { line: 3, source: '["]+', flags: "u" },
  ]);
});
