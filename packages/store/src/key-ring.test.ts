import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@cloudwright/platform";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readKeyRing, rotateKeyFile } from "./key-ring.ts";
import { rewrap, seal, unseal } from "./seal.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "key-ring-"));
  file = join(folder, "encryption.keys");
});
afterEach(() => rmSync(folder, { recursive: true }));

const key = (): string => randomBytes(32).toString("base64");

describe("M097 the key file", () => {
  test("is created on first use, readable by its owner only, and read afterwards", () => {
    const first = readKeyRing({ file, keys: undefined });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["encryption.keys"]);
    const sealed = seal(first, "uid", "value");
    expect(unseal(readKeyRing({ file, keys: undefined }), "uid", sealed)).toBe("value");
  });

  test("gets a new key at its start, while values sealed with the old key still open and can be rewrapped", () => {
    const before = readKeyRing({ file, keys: undefined });
    const sealed = seal(before, "uid", "value");
    rotateKeyFile(file);
    const after = readKeyRing({ file, keys: undefined });
    expect(after.primary).not.toBe(before.primary);
    expect([...after.keys.keys()]).toEqual([after.primary, before.primary]);
    expect(unseal(after, "uid", sealed)).toBe("value");
    expect(rewrap(after, "uid", sealed)).toBeDefined();
    expect([statSync(file).mode & 0o777, readdirSync(folder)]).toEqual([0o600, ["encryption.keys"]]);
  });

  test("is not used if the environment provides the keys", () => {
    const ring = readKeyRing({ file, keys: new Secret(`a:${key()},b:${key()}`) });
    expect([ring.primary, ring.keys.size, readdirSync(folder)]).toEqual(["a", 2, []]);
  });
});

describe("M097 unusable keys are rejected without revealing them:", () => {
  const short = randomBytes(31).toString("base64");

  test.each<[what: string, text: string]>([
    ["nothing", ""],
    ["blank lines", "\n\n"],
    ["no id", key()],
    ["an empty id", `:${key()}`],
    ["an id with spaces", `my key:${key()}`],
    ["a key too short", `a:${short}`],
    ["a key too long", `a:${randomBytes(33).toString("base64")}`],
    ["no key", "a:"],
    ["a good one and a bad one", `a:${key()}\nb:${short}`],
    ["two under one id", `a:${key()}\na:${key()}`],
  ])("%s", (_, text) => {
    writeFileSync(file, text);
    const read = (keys: Secret | undefined): unknown => {
      try {
        return readKeyRing({ file, keys });
      } catch (error) {
        return error;
      }
    };
    for (const error of [read(undefined), ...(text === "" ? [] : [read(new Secret(text))])]) {
      expect(error).toMatchObject({ code: "store.bad_key_ring" });
      for (const part of text.split(/[\n:]/).filter((piece) => piece.length > 20)) expect(String(error)).not.toContain(part);
    }
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});
