import type { InstanceSpec } from "../driver.ts";

/** A valid specification. Tests derive their own specifications from it. */
export const exampleSpec: InstanceSpec = {
  uid: "0195-web",
  name: "web",
  project: "shop",
  image: "debian-12",
  cpus: 1,
  memoryMib: 512,
  diskGib: 1,
  port: {
    namespace: "cwn0000000000",
    address: "10.77.0.10",
    prefixLength: 24,
    gateway: "10.77.0.1",
    mac: "02:00:00:00:00:0a",
    dns: ["10.77.0.1"],
  },
  access: {
    user: "admin",
    authorizedKeys: [`ssh-ed25519 ${"A".repeat(68)} me@example`],
    hostKey: {
      privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\nprivate\n-----END OPENSSH PRIVATE KEY-----\n",
      publicKey: `ssh-ed25519 ${"B".repeat(68)}`,
    },
  },
};
