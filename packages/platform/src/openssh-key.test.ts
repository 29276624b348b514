import { requireTool } from "@cloudwright/platform";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { generateKeyPair, readPrivateKey, readPublicKey, renderFingerprint } from "./openssh-key.ts";

const keygen = requireTool("ssh-keygen");
if (!keygen.found) console.log(`skipped: ${keygen.reason}`);

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "openssh-key-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("M007 a generated key pair belongs together and is different each time", () => {
  const [one, other] = [generateKeyPair(), generateKeyPair()];
  expect(readPrivateKey(one.privateKey)).toEqual({ publicKey: one.publicKey, isEncrypted: false });
  expect(one.publicKey).not.toBe(other.publicKey);
  expect(readPublicKey(`${one.publicKey} ann@example.com`)).toEqual({ type: "ssh-ed25519", key: one.publicKey });
});

test.skipIf(!keygen.found)("M007 OpenSSH reads generated keys and prints the same fingerprint", () => {
  const file = join(createFolder(), "key");
  for (let round = 0; round < 3; round += 1) {
    const { publicKey, privateKey } = generateKeyPair();
    writeFileSync(file, privateKey, { mode: 0o600 });
    expect(execFileSync("ssh-keygen", ["-y", "-f", file], { encoding: "utf8" }).trim()).toBe(publicKey);
    expect(execFileSync("ssh-keygen", ["-l", "-f", file], { encoding: "utf8" })).toContain(renderFingerprint(publicKey));
  }
});

test.skipIf(!keygen.found).each(["ed25519", "ecdsa"])("M007 the public half of OpenSSH's own %s key is read", (type) => {
  const folder = createFolder();
  const make = (name: string, passphrase: string): { readonly file: string; readonly open: string } => {
    const file = join(folder, name);
    execFileSync("ssh-keygen", ["-q", "-t", type, "-N", passphrase, "-C", "a comment", "-f", file]);
    return {
      file: execFileSync("cat", [file], { encoding: "utf8" }),
      open: execFileSync("cat", [`${file}.pub`], { encoding: "utf8" }),
    };
  };
  const [clear, locked] = [make("clear", ""), make("locked", "a passphrase")];
  expect(readPrivateKey(clear.file)).toEqual({ publicKey: readPublicKey(clear.open)?.key, isEncrypted: false });
  expect(readPrivateKey(locked.file)).toEqual({ publicKey: readPublicKey(locked.open)?.key, isEncrypted: true });
});

test("M007 anything else is not a key", () => {
  const { publicKey, privateKey } = generateKeyPair();
  const cut = privateKey.replace(/\n[A-Za-z0-9+/=]+\n-----END/, "\n-----END").replace(/(?<=KEY-----\n).{70}\n/, "");
  for (const text of ["", "-----BEGIN OPENSSH PRIVATE KEY-----", privateKey.replaceAll("OPENSSH", "RSA"), publicKey, cut])
    expect(readPrivateKey(text)).toBeUndefined();
  for (const line of ["", "ssh-ed25519", "ssh-ed25519 AAAA", publicKey.replace("ssh-ed25519 ", "ssh-rsa "), "ssh-rsa !!!"])
    expect(readPublicKey(line)).toBeUndefined();
});

test("X063 a private key of white space does not block the server", () => {
  const file = `-----BEGIN OPENSSH PRIVATE KEY-----${" ".repeat(16_000)}!`;
  expect(readPrivateKey(file)).toBeUndefined();
  expect(readPrivateKey(`${file} -----END OPENSSH PRIVATE KEY-----`)).toBeUndefined();
  expect(readPublicKey(`ssh-rsa ${"=".repeat(1_000_000)}x`)).toBeUndefined();
});
