import { source, type Violation } from "./violation.ts";

const rows = "packages/store/src/rows.ts";

/** Regular expressions that take more than linear time. */
export const patternViolations: readonly Violation[] = [
  {
    guard: "patterns",
    finds: "a search that takes quadratic time",
    plant: source(rows, `export const trim = (text: string): string => text.replace(/\\s+$/, "");\n`),
    says: /rows\.ts:1 \/\\s\+\$\/ takes quadratic time on a text with a long run of " ", .*trimEnd/,
  },
  {
    guard: "patterns",
    finds: "an expression that takes exponential time",
    plant: source(rows, `\nexport const isName = (text: string): boolean => /^(a+)+$/.test(text);\n`),
    says: /rows\.ts:2 \/\^\(a\+\)\+\$\/ takes exponential time on a text with a long run of "a"/,
  },
  {
    guard: "patterns",
    finds: "two repetitions of the same characters in a call of RegExp",
    plant: source(rows, 'const word = "[a-z]+";\nexport const isPair = new RegExp(`^${word}-?${word}$`, "u");\n'),
    says: /rows\.ts:2 \/\^\[a-z\]\+-\?\[a-z\]\+\$\/u takes quadratic time on a text with a long run of "a"/,
  },
  {
    guard: "patterns",
    finds: "a slow pattern rule in a proto file",
    plant: source("packages/contract/proto/rows.proto", 'string name = 1 [(field).string.pattern = "^(\\\\w+)+$"];\n'),
    says: /rows\.proto:1 \/\^\(\\w\+\)\+\$\/u takes exponential time/,
  },
];
