import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  containsRange,
  overlaps,
  parseAnyRange,
  parseRange,
  renderAddress,
  renderRange,
  subrangeOf,
  type Ipv4Range,
} from "./cidr.ts";

const address = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const prefix = fc.integer({ min: 0, max: 32 });
const text = fc.tuple(address, prefix).map(([bits, length]) => print(bits - (bits % 2 ** (32 - length)), length));

function print(first: number, length: number): string {
  return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join(".")}/${length}`;
}

function parse(value: string): Ipv4Range {
  const range = parseRange(value);
  if (range === undefined) throw new Error(`${value} was not parsed`);
  return range;
}

describe("M021 address ranges", () => {
  test("are parsed and contain 2^(32 - prefix) addresses", () => {
    fc.assert(
      fc.property(text, (value) => {
        const range = parse(value);
        expect(print(Number(range.first), range.prefix)).toBe(value);
        expect(renderRange(range)).toBe(value);
        expect(Number(range.last - range.first) + 1).toBe(2 ** (32 - range.prefix));
      }),
    );
  });

  test("are rejected if host bits are set", () => {
    const broken = fc.tuple(address, fc.integer({ min: 0, max: 31 })).filter(([bits, length]) => bits % 2 ** (32 - length) !== 0);
    fc.assert(
      fc.property(broken, ([bits, length]) => {
        expect(parseRange(print(bits, length))).toBeUndefined();
      }),
    );
  });

  test("are never parsed from other text", () => {
    const shape = /^\d{1,3}(\.\d{1,3}){3}\/\d{1,2}$/;
    const others = fc.string().filter((value) => !shape.test(value));
    fc.assert(
      fc.property(others, (value) => {
        expect(parseRange(value)).toBeUndefined();
      }),
    );
  });

  test.each([
    "",
    "10.0.0.0",
    "10.0.0.0/33",
    "256.0.0.0/8",
    "10.0.0/24",
    "10.0.0.0/8 ",
    "10.0.0.0/-1",
    "::/0",
    "10.0.0.0/8\n",
    "010.0.0.0/8",
  ])("reject %j", (value) => expect(parseRange(value)).toBeUndefined());

  test("overlap exactly when one contains the other, in either order", () => {
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
        const [lower, upper] = [subrangeOf(whole, 1, 0), subrangeOf(whole, 1, 1)];
        expect([lower.first, upper.first, upper.last]).toEqual([whole.first, lower.last + 1n, whole.last]);
        expect([containsRange(whole, lower), containsRange(whole, upper)]).toEqual([true, true]);
        expect([containsRange(lower, whole), overlaps(lower, upper)]).toEqual([false, false]);
      }),
    );
  });

  test("render the address at an offset", () => {
    const range = parse("10.1.255.0/24");
    expect([renderAddress(range), renderAddress(range, 4), renderAddress(range, 256)]).toEqual([
      "10.1.255.0",
      "10.1.255.4",
      "10.2.0.0",
    ]);
  });

  test.each([
    ["10.0.0.7/8", 32, 0x0a000000n, 0x0affffffn],
    ["10.0.0.7", 32, 0x0a000007n, 0x0a000007n],
    ["::/0", 128, 0n, (1n << 128n) - 1n],
    ["2001:db8::1", 128, 0x20010db8000000000000000000000001n, 0x20010db8000000000000000000000001n],
    ["1:2:3:4:5:6:7::", 128, 0x00010002000300040005000600070000n, 0x00010002000300040005000600070000n],
    ["::ffff:10.0.0.1/128", 128, 0xffff0a000001n, 0xffff0a000001n],
  ])("are parsed leniently from %s", (value, bits, first, last) => {
    expect(parseAnyRange(value)).toMatchObject({ bits, first, last });
  });

  test.each([
    "",
    "ten",
    "10.0.0.0/33",
    "10.0.0.0/8/8",
    "::1%eth0",
    "1::2::3",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4::5:6:7:8",
    "::/129",
    "1:2",
    "::10.0.0",
  ])("are not parsed from %j, even leniently", (value) => expect(parseAnyRange(value)).toBeUndefined());

  test("X063 are rejected quickly in a long text", () => {
    for (const value of [`::${".".repeat(1_000_000)}`, `${".".repeat(1_000_000)}:`, `${"a".repeat(1_000_000)}:`])
      expect(parseAnyRange(value)).toBeUndefined();
  });

  test("of different address families never contain or overlap each other", () => {
    const [four, six] = [parse("0.0.0.0/0"), parseAnyRange("::/0")];
    if (six === undefined) throw new Error("::/0 was not parsed");
    expect([containsRange(six, four), containsRange(four, six), overlaps(four, six)]).toEqual([false, false, false]);
  });
});
