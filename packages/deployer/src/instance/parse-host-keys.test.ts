import { expect, test } from "vitest";
import { parseHostKeys } from "./parse-host-keys.ts";

const ed = `ssh-ed25519 ${"A".repeat(68)}`;
const rsa = `ssh-rsa ${"B".repeat(372)}==`;
const wrap = (...keys: string[]) =>
  ["-----BEGIN SSH HOST KEY KEYS-----", ...keys, "-----END SSH HOST KEY KEYS-----"].join("\r\n");

test("M007 host keys are read from the block that cloud-init prints, without comments and in a fixed order", () => {
  const log = `[    5.1] boot\r\n${wrap(`${rsa} root@ip-10-0-0-4`, `${ed} root@ip-10-0-0-4`)}\r\nCloud-init finished.`;
  expect(parseHostKeys(log)).toEqual([ed, rsa]);
});

test("M007 lines of a serial console may carry a prefix, and the last complete block is used", () => {
  const old = wrap(`ssh-ed25519 ${"C".repeat(68)} root@old`);
  const now = wrap(`[   12.345678] cloud-init[812]: ${ed} root@new`);
  expect(parseHostKeys(`${old}\n${now}\n-----BEGIN SSH HOST KEY KEYS-----\n${rsa}`)).toEqual([ed]);
});

test("M007 keys outside of a block, such as those of users, are ignored", () => {
  expect(parseHostKeys(`ci-info: ${ed} ann@example.com\n-----BEGIN SSH HOST KEY KEYS-----\n${ed}`)).toEqual([]);
  expect(parseHostKeys("")).toEqual([]);
  expect(parseHostKeys(wrap("not a key", "ssh-ed25519 short"))).toEqual([]);
});

test.each([
  ["markers without an end", "-----BEGIN SSH HOST KEY KEYS-----".repeat(30_000)],
  ["white space after a marker", `-----BEGIN SSH HOST KEY KEYS-----${"\n".repeat(1_000_000)}`],
  ["beginnings of keys", wrap("ssh-".repeat(250_000))],
])("X063 an instance cannot block a shared agent with %s on its console", (_what, log) => {
  expect(parseHostKeys(log)).toEqual([]);
});

test("X063 an instance cannot fill its status with host keys", () => {
  const keys = Array.from({ length: 1000 }, (_, index) => `ssh-ed25519 ${String(index).padStart(68, "A")}`);
  expect(parseHostKeys(wrap(...keys))).toHaveLength(32);
});
