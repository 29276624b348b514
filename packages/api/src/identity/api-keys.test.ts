import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createApiKey, hashCredential, isApiKey } from "./api-keys.ts";

test("M006 a key has 256 random bits, is stored as its hash and identified by its first ten characters", () => {
  const { key, hash, prefix } = createApiKey();
  const text = key.reveal();
  expect(text).toMatch(/^cw_[A-Za-z0-9_-]{43}$/);
  expect(Buffer.from(text.slice(3), "base64url")).toHaveLength(32);
  expect(hash).toEqual(createHash("sha256").update(text).digest());
  expect(hashCredential(text)).toEqual(hash);
  expect(prefix).toBe(text.slice(0, 10));
  expect(createApiKey().key.reveal()).not.toBe(text);
});

test("M097 a new key is not revealed when it is printed or converted to JSON", () => {
  const made = createApiKey();
  const text = made.key.reveal().slice(made.prefix.length);
  for (const printed of [inspect(made, { depth: 9 }), JSON.stringify(made), String(made.key)])
    expect(printed).not.toContain(text);
});

test.for([
  "",
  "cw_",
  "cw_short",
  `cw_${"a".repeat(44)}`,
  `cw_${"a".repeat(42)}'`,
  `CW_${"a".repeat(43)}`,
  `cw_${"a".repeat(43)}\n`,
])("M006 %j does not have the format of a key", (text) => {
  expect(isApiKey(text)).toBe(false);
});
