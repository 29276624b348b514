import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { containsRange, overlaps, parseRange, type Range } from "./cidr.ts";

const address = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const prefix = fc.integer({ min: 0, max: 32 });
const text = fc.tuple(address, prefix).map(([bits, length]) => print(bits - (bits % 2 ** (32 - length)), length));

function print(first: number, length: number): string {
  return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join(".")}/${length}`;
}

function parse(value: string): Range {
  const range = parseRange(value);
  if (range === undefined) throw new Error(`${value} was not parsed`);
  return range;
}

describe("M021 address ranges", () => {
  test("are read and hold 2^(32 - prefix) addresses", () => {
    fc.assert(
      fc.property(text, (value) => {
        const range = parse(value);
        expect(print(range.first, range.prefix)).toBe(value);
        expect(range.last - range.first + 1).toBe(2 ** (32 - range.prefix));
      }),
    );
  });

  test("with host bits are refused", () => {
    const broken = fc.tuple(address, fc.integer({ min: 0, max: 31 })).filter(([bits, length]) => bits % 2 ** (32 - length) !== 0);
    fc.assert(
      fc.property(broken, ([bits, length]) => {
        expect(parseRange(print(bits, length))).toBeUndefined();
      }),
    );
  });

  test("are never read from other text", () => {
    const shape = /^\d{1,3}(\.\d{1,3}){3}\/\d{1,2}$/;
    const others = fc.string().filter((value) => !shape.test(value));
    fc.assert(
      fc.property(others, (value) => {
        expect(parseRange(value)).toBeUndefined();
      }),
    );
  });

  test.each(["", "10.0.0.0", "10.0.0.0/33", "256.0.0.0/8", "10.0.0/24", "10.0.0.0/8 ", "10.0.0.0/-1", "::/0", "10.0.0.0/8\n"])(
    "refuse %j",
    (value) => expect(parseRange(value)).toBeUndefined(),
  );

  test("overlap exactly when one contains the other, whichever comes first", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [one, other] = [parse(a), parse(b)];
        expect(overlaps(one, other)).toBe(containsRange(one, other) || containsRange(other, one));
        expect(overlaps(other, one)).toBe(overlaps(one, other));
      }),
    );
  });

  test("contain both of their halves, which do not overlap", () => {
    const splittable = text.filter((value) => parse(value).prefix < 32);
    fc.assert(
      fc.property(splittable, (value) => {
        const whole = parse(value);
        const lower = parse(print(whole.first, whole.prefix + 1));
        const upper = parse(print(lower.last + 1, whole.prefix + 1));
        expect([containsRange(whole, lower), containsRange(whole, upper)]).toEqual([true, true]);
        expect([containsRange(lower, whole), overlaps(lower, upper)]).toEqual([false, false]);
      }),
    );
  });
});
