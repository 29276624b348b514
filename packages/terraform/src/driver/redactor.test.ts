import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "./redactor.ts";

const through = (secrets: string[], pieces: string[]): string => {
  const stream = createRedactor(secrets).createStream();
  return [...pieces.map((piece) => stream.push(Buffer.from(piece))), stream.end()].join("");
};

test("M064 a secret is found wherever a stream is split", () => {
  const text = "a hunter2hunter b";
  for (let cut = 0; cut <= text.length; cut += 1) {
    expect(through(["hunter2hunter"], [text.slice(0, cut), text.slice(cut)])).toBe("a [secret] b");
  }
  expect(through(["hunter2hunter"], text.split(""))).toBe("a [secret] b");
});

test("M064 secrets that share a prefix, contain each other or overlap are removed completely", () => {
  expect(through(["secret", "secretly-more"], ["x secret", "ly-more y"])).toBe("x [secret] y");
  expect(through(["abcdX", "Xefgh"], ["1abcdXefgh2"])).toBe("1[secret]2");
  expect(through(["abcdX", "Xefgh"], "1abcdXefgh2".split(""))).toBe("1[secret]2");
  expect(through(["aaaa"], "aaaaaaaaab".split(""))).toBe("[secret]b");
  expect(through(["abcd"], ["abc", "abc", "abcd", "ab"])).toBe("abcabc[secret]ab");
});

test("M064 a secret is found in the encodings in which programs print it", () => {
  const redactor = createRedactor(['p"ss <w> & \n second-line-of-it']);
  for (const text of [
    'p\\"ss <w> & \\n second-line-of-it',
    'p\\"ss \\u003cw\\u003e \\u0026 \\n second-line-of-it',
    encodeURIComponent('p"ss <w> & \n second-line-of-it'),
    Buffer.from('p"ss <w> & \n second-line-of-it').toString("base64").replace(/=+$/, ""),
    "second-line-of-it",
  ]) {
    expect(redactor.redactText(`1 ${text} 2`)).toBe("1 [secret] 2");
  }
  expect(createRedactor(["no", "  "]).redactText("no way")).toBe("no way");
});

test("M064 keys and values of events are redacted, and everything else is unchanged", () => {
  const value = { a: ["x hunter2 y", 1, null, true], hunter2: { deep: "hunter2" } };
  expect(createRedactor(["hunter2"]).redactJson(value)).toEqual({
    a: ["x [secret] y", 1, null, true],
    "[secret]": { deep: "[secret]" },
  });
  expect(createRedactor().redactJson(value)).toBe(value);
});

test("M064 no split of the input reveals a secret, and everything else passes through", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "é"), minLength: 4, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(letters, { minLength: 1, maxLength: 3 }),
      fc.array(fc.string({ unit: fc.constantFrom("a", "b", "é", "-") })),
      (secrets, pieces) => {
        const shown = through(secrets, pieces);
        expect(secrets.some((secret) => shown.includes(secret))).toBe(false);
        const bytes = pieces.map((piece) => [...Buffer.from(piece)].map((byte) => Buffer.from([byte])));
        const stream = createRedactor(secrets).createStream();
        const cut = Buffer.concat([...bytes.flat().map((byte) => stream.push(byte)), stream.end()]).toString();
        expect(cut).toBe(shown);
        const isClean = !secrets.some((secret) => pieces.join("").includes(secret));
        expect(shown === pieces.join("")).toBe(isClean);
      },
    ),
  );
});
