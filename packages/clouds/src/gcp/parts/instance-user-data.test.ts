import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { renderInstanceUserData as render } from "./instance-user-data.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ops";
const start = { image: "ubuntu-24.04", sshKeys: [key], user: "", userData: "" };

test("M159 SSH keys become metadata for the image's usual user, or for the user that the spec names", () => {
  expect(render(start)).toMatchObject({
    user: "ubuntu",
    metadata: { "ssh-keys": `ubuntu:${key}`, "block-project-ssh-keys": "TRUE", "enable-oslogin": "FALSE" },
  });
  expect(render({ ...start, user: "deploy", sshKeys: [key, key] }).metadata?.["ssh-keys"]).toBe(`deploy:${key}\ndeploy:${key}`);
  expect(render({ ...start, sshKeys: [] })).toEqual({ user: "ubuntu", userData: "", metadata: {} });
  expect(render({ ...start, image: "projects/p/global/images/family/own" }).user).toBe("cloud-user");
});

test("M159 cloud-init reads the user data, and a startup script takes its place on Debian", () => {
  const userData = "#!/bin/sh\necho hello\n";
  expect(render({ ...start, userData }).metadata).toMatchObject({ "user-data": userData });
  const { metadata, user } = render({ ...start, image: "debian-12", userData });
  expect(user).toBe("debian");
  expect(metadata?.["user-data"]).toBeUndefined();
  const script = metadata?.["startup-script"] ?? "";
  expect(script).toContain("BEGIN SSH HOST KEY KEYS");
  const encoded = /<<'END'\n(?<text>.*)\nEND\n/.exec(script)?.groups?.["text"] ?? "";
  expect(Buffer.from(encoded, "base64").toString()).toBe(userData);
  // Checks the syntax of the script without running it.
  execFileSync("sh", ["-n"], { input: script });
});

test("M159 a private key, a broken key and a cloud-init configuration for Debian are rejected", () => {
  for (const bad of [
    { sshKeys: ["-----BEGIN OPENSSH PRIVATE KEY-----"] },
    { sshKeys: ["ssh-ed25519"] },
    { sshKeys: [`${key}\nssh-rsa AAAA`] },
    { image: "debian-12", userData: "#cloud-config\n" },
    { image: "no image" },
  ])
    expect(() => render({ ...start, ...bad })).toThrow(expect.objectContaining({ code: "clouds.invalid" }));
});
