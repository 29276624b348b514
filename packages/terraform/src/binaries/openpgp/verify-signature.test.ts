import { Fault, requireTool } from "@cloudwright/platform";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createTestKey, type TestKey, type TestKeyOptions } from "../../testing/test-key.ts";
import { createTestDirectory } from "../../testing/test-terraform.ts";
import { verifySignature, type SignedFile } from "./verify-signature.ts";

const bytes = Buffer.from("the sums\n");
const key = createTestKey();
const other = createTestKey();
const signed = (by: TestKey, rest: Partial<SignedFile> = {}): SignedFile => ({
  bytes,
  signature: by.sign(bytes),
  certificate: by.certificate,
  fingerprint: by.fingerprint,
  nowMs: Date.UTC(2026, 0, 1),
  ...rest,
});
const refused = expect.objectContaining({ code: "terraform.bad_signature" });
const verdict =
  (file: SignedFile): (() => void) =>
  () =>
    verifySignature(file);
const made = (options: TestKeyOptions): SignedFile => signed(createTestKey(options));

function judge(file: SignedFile): string {
  try {
    verifySignature(file);
    return "taken";
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
}

test("M068 a file signed by the trusted key or by one of its certified subkeys is accepted", () => {
  expect(verdict(signed(key))).not.toThrow();
  expect(verdict(signed(key, { fingerprint: key.fingerprint.toUpperCase().replaceAll(/.{4}/g, "$& ") }))).not.toThrow();
  expect(verdict(made({ subkey: "answering" }))).not.toThrow();
  expect(verdict(made({ expiresAfter: 1000 }))).not.toThrow();
});

test("M068 a different file, key or signature is rejected", () => {
  expect(verdict(signed(key, { bytes: Buffer.from("the sums\n\n") }))).toThrow(refused);
  expect(verdict(signed(key, { fingerprint: other.fingerprint }))).toThrow(refused);
  expect(verdict(signed(key, { signature: other.sign(bytes) }))).toThrow(refused);
  expect(verdict(signed(key, { signature: Buffer.alloc(0) }))).toThrow(refused);
  expect(verdict(signed(key, { certificate: Buffer.concat([other.certificate, key.certificate]) }))).toThrow(refused);
  expect(verdict(signed(key, { signature: key.sign(bytes, { type: 1 }) }))).toThrow(refused);
  expect(verdict(signed(key, { signature: key.sign(bytes, { hash: 2 }) }))).toThrow(refused);
});

test("M068 a key that is revoked, expired, not yet valid or not allowed to sign is rejected", () => {
  expect(verdict(made({ revoked: true }))).toThrow(refused);
  expect(verdict(made({ expiresAfter: 5 }))).toThrow(refused);
  expect(verdict(made({ flags: 1 }))).toThrow(refused);
  expect(verdict(signed(key, { signature: key.sign(bytes, { createdAt: 1 }) }))).toThrow(refused);
  expect(verdict(made({ subkey: "silent" }))).toThrow(refused);
});

test("M068 damaged keys and signatures are rejected with the right fault", () => {
  fc.assert(
    fc.property(fc.constantFrom("signature", "certificate"), fc.nat(), fc.integer({ min: 1, max: 255 }), (what, at, change) => {
      const file = signed(key);
      const whole = what === "signature" ? file.signature : Buffer.from(file.certificate);
      const damaged = Buffer.from(whole);
      damaged[at % damaged.length] = (damaged[at % damaged.length] as number) ^ change;
      const said = judge({ ...file, [what]: damaged.subarray(0, damaged.length - (at % 3)) });
      // A change to a comment or to an unauthenticated hint may go unnoticed.
      expect(["taken", "terraform.bad_signature"]).toContain(said);
    }),
  );
});

const gpg = requireTool("gpg");
if (!gpg.found) console.log(`skipped: ${gpg.reason}`);
test.skipIf(!gpg.found)("M068 a GnuPG signature is accepted, and rejected after a modification", () => {
  const home = createTestDirectory();
  const run = (...args: string[]): string =>
    execFileSync(
      gpg.found ? gpg.path : "",
      ["--homedir", home, "--batch", "--pinentry-mode", "loopback", "--passphrase", "", ...args],
      {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
  const file = join(home, "sums");
  writeFileSync(file, bytes);
  run("--quick-generate-key", "Test <test@example.org>", "rsa2048", "cert", "1y");
  const fingerprint =
    /^fpr:+(?<fingerprint>[0-9A-F]{40}):/m.exec(run("--with-colons", "--list-keys"))?.groups?.["fingerprint"] ?? "";
  run("--quick-add-key", fingerprint, "rsa2048", "sign", "1y");
  run("--detach-sign", file);
  run("--armor", "--output", join(home, "key.asc"), "--export", fingerprint);
  const proof = {
    bytes,
    signature: readFileSync(`${file}.sig`),
    certificate: readFileSync(join(home, "key.asc")),
    fingerprint,
    nowMs: Date.now(),
  };
  expect(verdict(proof)).not.toThrow();
  expect(verdict({ ...proof, bytes: Buffer.from("other") })).toThrow(refused);
  execFileSync(join(dirname(gpg.found ? gpg.path : ""), "gpgconf"), ["--homedir", home, "--kill", "all"], { stdio: "ignore" });
});
