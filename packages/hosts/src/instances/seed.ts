import type { InstanceSpec } from "./driver.ts";
import { renderMultipart, typeOfUserData } from "./user-data.ts";

/** The files of a cloud-init NoCloud seed. They contain JSON, which is valid YAML, so values need no manual quoting. */
export interface Seed {
  readonly "meta-data": string;
  readonly "user-data": string;
  readonly "network-config": string;
}

type SeedInput = Pick<InstanceSpec, "uid" | "name" | "port" | "access" | "userData">;

/** Renders the seed from which cloud-init configures an instance at its first boot. */
export function renderSeed({ uid, name, port, access, userData }: SeedInput): Seed {
  const config = `#cloud-config\n${renderJson(renderConfig(name, access))}`;
  return {
    "meta-data": renderJson({ "instance-id": uid, "local-hostname": name }),
    "user-data": renderMultipart([
      { type: "text/cloud-config", content: config },
      ...(userData === undefined ? [] : [{ type: typeOfUserData(userData), content: userData }]),
    ]),
    "network-config": renderJson(renderNetwork(port)),
  };
}

function renderConfig(name: string, { user, authorizedKeys, hostKey }: InstanceSpec["access"]): object {
  const login = user === "root" ? {} : { sudo: "ALL=(ALL) NOPASSWD:ALL", shell: "/bin/bash", lock_passwd: true };
  return {
    hostname: name,
    preserve_hostname: false,
    manage_etc_hosts: "localhost",
    // The image contains only this locale. cloud-init would fail to generate another one.
    locale: "C.UTF-8",
    disable_root: user !== "root",
    ssh_pwauth: false,
    ssh_deletekeys: true,
    ssh_keys: { ed25519_private: hostKey.privateKey, ed25519_public: hostKey.publicKey },
    // Nothing reads the keys from the console, and printing them there takes time.
    no_ssh_fingerprints: true,
    ssh: { emit_keys_to_console: false },
    users: [{ name: user, ...login, ssh_authorized_keys: authorizedKeys }],
    // The host controls the size of the root file system.
    growpart: { mode: "off" },
    resize_rootfs: false,
    // Instances have no boot loader. Configuring one takes a tenth of the boot.
    grub_dpkg: { enabled: false },
  };
}

function renderNetwork({ address, prefixLength, gateway, mac, dns }: InstanceSpec["port"]): object {
  return {
    version: 2,
    ethernets: {
      host0: {
        match: { macaddress: mac },
        "set-name": "host0",
        dhcp4: false,
        dhcp6: false,
        addresses: [`${address}/${prefixLength}`],
        routes: [{ to: "0.0.0.0/0", via: gateway }],
        nameservers: { addresses: dns },
      },
    },
  };
}

function renderJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
