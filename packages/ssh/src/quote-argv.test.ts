import fc from "fast-check";
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { sshFaults } from "./faults.ts";
import { quoteArgv } from "./quote-argv.ts";

const dangerous = [
  "$(reboot)",
  "`id`",
  "'",
  "''",
  '"',
  "\\",
  "\n",
  "a b",
  "*",
  "~",
  "-n",
  "--",
  "A=b",
  "!!",
  "#",
  ";",
  "&",
  "|",
  ">x",
  "",
  "é",
  "\u{1f511}",
];
const word = fc.oneof(
  fc.constantFrom(...dangerous),
  fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", "")),
  fc.string({ unit: fc.constantFrom(...dangerous) }),
);

test("M007 every argument reaches the program unchanged through a real shell", () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), (words) => {
      const { status, stdout } = spawnSync("sh", ["-c", quoteArgv(["printf", "%s\\0", "start", ...words])], { encoding: "utf8" });
      expect({ status, words: stdout.split("\0") }).toEqual({ status: 0, words: ["start", ...words, ""] });
    }),
    { numRuns: 150 },
  );
});

test.each([[[]], [[""]], [["echo", "a\0b"]], [["echo", "\ud800"]]])("M007 the command %j is rejected", (argv) => {
  expect(() => quoteArgv(argv)).toThrow(expect.objectContaining({ code: sshFaults.bad_argument.code }));
});
