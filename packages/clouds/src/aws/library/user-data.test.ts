import { expect, test } from "vitest";
import { renderUserData, type UserDataRequest } from "./user-data.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAA ada@example";
const base: UserDataRequest = { sshKeys: [], user: "ubuntu", imageUser: "ubuntu", userData: undefined };
const render = (change: Partial<UserDataRequest>): string =>
  Buffer.from(renderUserData({ ...base, ...change }) ?? "", "base64").toString();
const configOf = (text: string): unknown => JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));

test("M159 user data is passed on unchanged, and nothing is sent if there is none", () => {
  expect(renderUserData(base)).toBeUndefined();
  expect(render({ userData: "anything at all" })).toBe("anything at all");
});

test("M159 SSH keys are installed for the image's user or for a new one", () => {
  const own = render({ sshKeys: [`${key}\n`] });
  expect(own.startsWith("#cloud-config\n")).toBe(true);
  expect(configOf(own)).toEqual({ ssh_authorized_keys: [key] });
  expect(configOf(render({ sshKeys: [key], user: "ada" }))).toMatchObject({
    users: ["default", { name: "ada", ssh_authorized_keys: [key] }],
  });
});

test("M159 SSH keys are added to the caller's user data", () => {
  const script = "#!/bin/sh\necho hello\n";
  const text = render({ sshKeys: [key], userData: script });
  expect(text).toContain("Content-Type: multipart/mixed");
  expect(text).toContain(`Content-Type: text/x-shellscript; charset="utf-8"`);
  expect(text).toContain(script);
  expect(text).toContain("list(append)");
  expect(() => render({ sshKeys: [key], userData: "echo hello" })).toThrow("userData must start with");
});

test("M159 malformed keys, private keys, invalid user names and too much data are refused", () => {
  for (const bad of ["hello", "", "ssh-rsa", "ssh-rsa AAAA\nssh-rsa BBBB", "-----BEGIN OPENSSH PRIVATE KEY-----"])
    expect(() => render({ sshKeys: [bad] })).toThrow(/public key/);
  expect(() => render({ sshKeys: [key], user: "a b" })).toThrow("not a valid Linux user name");
  expect(() => render({ userData: `#!${"x".repeat(16 * 1024)}` })).toThrow("EC2 allows 16384");
});
