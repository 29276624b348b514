import { randomBytes } from "node:crypto";
import { Secret } from "@cloudwright/platform";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rewrap, seal, sealBytes, sealLargeBytes, unseal, unsealBytes, unsealLargeBytes, type KeyRing } from "./seal.ts";

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

function opens(ring: KeyRing, uid: string, sealed: Buffer): boolean {
  try {
    unseal(ring, uid, sealed);
    return true;
  } catch {
    return false;
  }
}

describe("M097 a sealed value", () => {
  test("opens to the original value, for its own record only", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.uuid(), fc.uuid(), (value, uid, other) => {
        fc.pre(uid !== other);
        const sealed = seal(oldRing, uid, value);
        expect([unseal(oldRing, uid, sealed), opens(oldRing, other, sealed)]).toEqual([value, false]);
      }),
    );
  });

  test("reveals nothing about the value or the keys, and differs each time", () => {
    const value = "canary-value-of-some-length";
    const [first, second] = [seal(oldRing, "uid", value), seal(oldRing, "uid", value)];
    expect(first.equals(second)).toBe(false);
    for (const hidden of [Buffer.from(value), keys.old.reveal()]) expect(first.includes(hidden)).toBe(false);
  });

  test("does not open if any byte is changed, removed or added", () => {
    const sealed = seal(oldRing, "uid", "value");
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect([index, opens(oldRing, "uid", changed), opens(oldRing, "uid", sealed.subarray(0, index))]).toEqual([
        index,
        false,
        false,
      ]);
    }
    expect(opens(oldRing, "uid", Buffer.concat([sealed, Buffer.alloc(1)]))).toBe(false);
    expect(opens(oldRing, "uid", sealed)).toBe(true);
  });

  test("with a key that is not in the ring causes a fault that names the missing key", () => {
    const sealed = seal(oldRing, "uid", "value");
    expect(() => unseal(newRing, "uid", sealed)).toThrow(expect.objectContaining({ code: "store.key_missing" }));
    expect(() => unseal(newRing, "uid", sealed)).toThrow('"old"');
  });
});

describe("M097 rewrapping", () => {
  test("moves a value to the newest key, so that the old one can be removed", () => {
    const sealed = seal(oldRing, "uid", "value");
    const rewrapped = rewrap(bothRing, "uid", sealed);
    expect(rewrapped && unseal(newRing, "uid", rewrapped)).toBe("value");
    expect(opens(oldRing, "uid", rewrapped ?? sealed)).toBe(false);
  });

  test("does nothing if the value already uses the newest key", () => {
    expect(rewrap(bothRing, "uid", seal(newRing, "uid", "value"))).toBeUndefined();
  });

  test("does not make a value valid for another record", () => {
    expect(() => rewrap(bothRing, "other", seal(oldRing, "uid", "value"))).toThrow("authenticate");
  });
});

describe("M072 bytes sealed in two parts", () => {
  const value = randomBytes(5000);
  const bytes = sealBytes(oldRing, "uid", value);

  test("open for their own record only, and reveal nothing", () => {
    expect(unsealBytes(oldRing, "uid", bytes).equals(value)).toBe(true);
    expect(() => unsealBytes(oldRing, "other", bytes)).toThrow("authenticate");
    expect(bytes.content.includes(value.subarray(0, 16))).toBe(false);
  });

  test("can be rewrapped without a change to the content", () => {
    const sealed = rewrap(bothRing, "uid", bytes.sealed) as Buffer;
    expect(unsealBytes(newRing, "uid", { sealed, content: bytes.content }).equals(value)).toBe(true);
    expect(() => unsealBytes(newRing, "uid", bytes)).toThrow(expect.objectContaining({ code: "store.key_missing" }));
  });

  test("do not open with another record's key", () => {
    const { sealed } = sealBytes(oldRing, "uid", value);
    expect(() => unsealBytes(oldRing, "uid", { sealed, content: bytes.content })).toThrow("authenticate");
  });
});

test("X063 a large value is sealed in pieces, and both ways of opening it return the original value", async () => {
  const ring = newRing;
  const value = randomBytes(9 * 1024 * 1024 + 17);
  for (const sealed of [await sealLargeBytes(ring, "record", value), sealBytes(ring, "record", value)]) {
    expect(unsealBytes(ring, "record", sealed).equals(value)).toBe(true);
    expect((await unsealLargeBytes(ring, "record", sealed)).equals(value)).toBe(true);
    await expect(unsealLargeBytes(ring, "other", sealed)).rejects.toThrow(/authenticate/);
    const content = Buffer.from(sealed.content);
    content[content.length - 1] = (content.at(-1) ?? 0) ^ 1;
    await expect(unsealLargeBytes(ring, "record", { ...sealed, content })).rejects.toThrow(/authenticate/);
  }
});
