import { randomBytes } from "node:crypto";
import { Secret } from "@cloudwright/platform";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rewrap, seal, unseal, type KeyRing } from "./seal.ts";

const keys = { old: new Secret(randomBytes(32)), new: new Secret(randomBytes(32)) };
const oldRing: KeyRing = { primary: "old", keys: new Map([["old", keys.old]]) };
const bothRing: KeyRing = {
  primary: "new",
  keys: new Map([
    ["new", keys.new],
    ["old", keys.old],
  ]),
};
const newRing: KeyRing = { primary: "new", keys: new Map([["new", keys.new]]) };

describe("M097 a sealed value", () => {
  test("opens to what it was, for its own record only", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.uuid(), fc.uuid(), (value, uid, other) => {
        const sealed = seal(oldRing, uid, value);
        expect(unseal(oldRing, uid, sealed)).toBe(value);
        if (other !== uid) expect(() => unseal(oldRing, other, sealed)).toThrow();
      }),
    );
  });

  test("shows nothing of the value or the keys, and is another each time", () => {
    const value = "canary-value-of-some-length";
    const [first, second] = [seal(oldRing, "uid", value), seal(oldRing, "uid", value)];
    expect(first.equals(second)).toBe(false);
    for (const hidden of [Buffer.from(value), keys.old.reveal()]) expect(first.includes(hidden)).toBe(false);
  });

  test("with any byte changed, cut off or added does not open", () => {
    const sealed = seal(oldRing, "uid", "value");
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => unseal(oldRing, "uid", changed)).toThrow();
      expect(() => unseal(oldRing, "uid", sealed.subarray(0, index))).toThrow();
    }
    expect(() => unseal(oldRing, "uid", Buffer.concat([sealed, Buffer.alloc(1)]))).toThrow();
  });

  test("under a key that is not in the ring says which one is missing", () => {
    const sealed = seal(oldRing, "uid", "value");
    const error = (() => {
      try {
        return unseal(newRing, "uid", sealed);
      } catch (cause) {
        return cause as Error;
      }
    })();
    expect(error).toMatchObject({ code: "store.key_missing" });
    expect(String((error as Error).message)).toContain('"old"');
  });
});

describe("M097 wrapping anew", () => {
  test("brings a value under the newest key, so that the old one can go", () => {
    const sealed = seal(oldRing, "uid", "value");
    const rewrapped = rewrap(bothRing, "uid", sealed);
    expect(rewrapped && unseal(newRing, "uid", rewrapped)).toBe("value");
    expect(() => unseal(oldRing, "uid", rewrapped ?? Buffer.alloc(0))).toThrow();
  });

  test("does nothing where the newest key is used already", () => {
    expect(rewrap(bothRing, "uid", seal(newRing, "uid", "value"))).toBeUndefined();
  });

  test("does not move a value to another record", () => {
    expect(() => rewrap(bothRing, "other", seal(oldRing, "uid", "value"))).toThrow();
  });
});
