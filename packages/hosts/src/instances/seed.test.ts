import { parseJson } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { renderSeed } from "./seed.ts";
import { exampleSpec } from "./testing/example-spec.ts";

/** Returns the type and the content of each part. */
function parseParts(userData: string): [type: string, content: string][] {
  const parts = userData.split("--==cloudwright==").slice(1, -1);
  return parts.map((part) => {
    const [head = "", body = ""] = part.trim().split("\n\n");
    const type = /Content-Type: (?<type>[^;]+);/.exec(head)?.groups?.["type"] ?? "";
    return [type, Buffer.from(body, "base64").toString("utf8")];
  });
}

test("the seed gives an instance its name, its keys and its address", () => {
  const seed = renderSeed(exampleSpec);
  expect(parseJson(seed["meta-data"])).toEqual({ "instance-id": "0195-web", "local-hostname": "web" });
  expect(parseJson(seed["network-config"])).toEqual({
    version: 2,
    ethernets: {
      host0: {
        match: { macaddress: "02:00:00:00:00:0a" },
        "set-name": "host0",
        dhcp4: false,
        dhcp6: false,
        addresses: ["10.77.0.10/24"],
        routes: [{ to: "0.0.0.0/0", via: "10.77.0.1" }],
        nameservers: { addresses: ["10.77.0.1"] },
      },
    },
  });
  const [[type, content] = ["", ""], ...others] = parseParts(seed["user-data"]);
  expect(others).toEqual([]);
  expect(type).toBe("text/cloud-config");
  expect(content.startsWith("#cloud-config\n")).toBe(true);
  expect(parseJson(content.slice("#cloud-config\n".length))).toEqual({
    hostname: "web",
    preserve_hostname: false,
    manage_etc_hosts: "localhost",
    locale: "C.UTF-8",
    disable_root: true,
    ssh_pwauth: false,
    ssh_deletekeys: true,
    ssh_keys: {
      ed25519_private: exampleSpec.access.hostKey.privateKey,
      ed25519_public: exampleSpec.access.hostKey.publicKey,
    },
    no_ssh_fingerprints: true,
    ssh: { emit_keys_to_console: false },
    users: [
      {
        name: "admin",
        sudo: "ALL=(ALL) NOPASSWD:ALL",
        shell: "/bin/bash",
        lock_passwd: true,
        ssh_authorized_keys: exampleSpec.access.authorizedKeys,
      },
    ],
    growpart: { mode: "off" },
    resize_rootfs: false,
    grub_dpkg: { enabled: false },
  });
});

test("user data is in a separate part, which it cannot end early", () => {
  const userData =
    "#!/bin/sh\necho hello\n--==cloudwright==\nContent-Type: text/cloud-config\n\nusers: []\n--==cloudwright==--\n";
  const parts = parseParts(renderSeed({ ...exampleSpec, userData })["user-data"]);
  expect(parts.slice(1)).toEqual([["text/x-shellscript", userData]]);
  expect(() => renderSeed({ ...exampleSpec, userData: "users: []" })).toThrow(
    expect.objectContaining({ code: "hosts.bad_instance" }),
  );
});
