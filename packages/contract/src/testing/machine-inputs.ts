import type { EntityInput, RejectedInput } from "./entity-input.ts";
import type { JsonObject } from "../entities.ts";

const machine = (what: string, spec: JsonObject): EntityInput => ({
  kind: "Instance",
  what,
  input: { metadata: { name: "a" }, spec: { network: "m", ...spec } },
});
const sshKey = (what: string, spec: JsonObject): EntityInput => ({
  kind: "SshKey",
  what,
  input: { metadata: { name: "a" }, spec },
});
const securityGroup = (what: string, ...rules: JsonObject[]): EntityInput => ({
  kind: "SecurityGroup",
  what,
  input: { metadata: { name: "a" }, spec: { network: "m", rules } },
});
const volume = (what: string, spec: JsonObject): EntityInput => ({
  kind: "Volume",
  what,
  input: { metadata: { name: "a" }, spec: { account: "sandbox", sizeGib: 10, ...spec } },
});
const inventory = (what: string, spec: JsonObject): EntityInput => ({
  kind: "Inventory",
  what,
  input: { metadata: { name: "a" }, spec: { account: "rack", sshKey: "ops", ...spec } },
});
const host = (name: string): JsonObject => ({ name, address: name });
const snapshot = (what: string, spec: JsonObject): EntityInput => ({
  kind: "VolumeSnapshot",
  what,
  input: { metadata: { name: "a" }, spec: { volume: "data", ...spec } },
});
const everywhere = { cidr: "0.0.0.0/0" };
const hostKey = `ssh-ed25519 ${"A".repeat(68)}`;
const file = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n";

/** Instances, SSH keys, security groups, volumes, snapshots and inventories that the contract accepts. */
export const acceptedMachines: readonly EntityInput[] = [
  sshKey("that the platform generates", {}),
  sshKey("with a comment", { publicKey: `${hostKey} ann@example.com` }),
  sshKey("with both halves", { publicKey: hostKey, privateKey: file }),
  machine("with defaults only", {}),
  machine("with every option", {
    account: "sandbox",
    machineType: "t3.micro",
    image: "ami-0123456789abcdef0",
    sshKeys: ["ops", "ann"],
    user: "deploy",
    userData: "#!/bin/sh\ntrue\n",
    zone: "a",
    subnet: "subnet-0123456789abcdef0",
    rootDisk: { sizeGib: 40, encrypted: true, kmsKey: "arn:aws:kms:eu-west-1:123456789012:key/k" },
    metadataTokens: "optional",
    publicAddress: true,
    running: false,
    hostKeys: [hostKey],
    provisioner: "direct",
    infra: { approval: "always", drift: "correct" },
    aws: { securityGroupIds: ["sg-0123456789abcdef0"] },
  }),
  machine("of an inventory", { network: "", inventory: "rack", host: "node-1", hostLabels: { disk: "ssd" } }),
  inventory("without hosts", {}),
  inventory("with every option", {
    user: "admin",
    bmcPasswords: "node-1 secret\n",
    hosts: [
      {
        name: "node-1",
        address: "node-1.example.org",
        port: 2222,
        user: "root",
        hostKeys: [hostKey],
        labels: { disk: "ssd", "example.com/rack": "" },
        mac: "52:54:00:12:34:56",
        bmc: { address: "https://192.0.2.5:8443", user: "operator", system: "1", fingerprint: "0".repeat(64) },
      },
      host("node-2"),
    ],
  }),
  machine("with security groups", { securityGroups: ["web", "ssh"] }),
  securityGroup("without rules"),
  securityGroup(
    "with every kind of rule",
    { protocol: "tcp", fromPort: 22, cidr: "10.0.0.0/8" },
    { direction: "egress", protocol: "udp", fromPort: 1, toPort: 65_535, group: "web" },
    { direction: "ingress", protocol: "icmp", group: "self" },
    { protocol: "arp", ...everywhere },
    { protocol: "all", ...everywhere },
    { protocol: "tcp", ...everywhere },
  ),
  volume("that is detached", {}),
  volume("that is attached", { instance: "web", infra: { approval: "always", drift: "correct" } }),
  volume("that starts with the data of a snapshot", { sourceSnapshot: "s1" }),
  snapshot("in the account of its volume", {}),
  snapshot("with every option", { account: "sandbox", infra: { approval: "always", drift: "correct" } }),
  machine("with every option of Google Cloud", {
    image: "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64",
    rootDisk: { kmsKey: "projects/p/locations/europe-west1/keyRings/r/cryptoKeys/k" },
    gcp: {
      networkTags: ["web", "ssh"],
      serviceAccount: "web-server@my-project.iam.gserviceaccount.com",
      shieldedVm: false,
    },
  }),
];

const refused = (field: string, input: EntityInput, beyondSchema = false): RejectedInput => ({
  ...input,
  field,
  ...(beyondSchema ? { beyondSchema } : {}),
});

/** Instances, SSH keys, security groups, volumes, snapshots and inventories that the contract rejects. */
export const rejectedMachines: readonly RejectedInput[] = [
  refused("spec.publicKey", sshKey("with two lines", { publicKey: `${hostKey}\n${hostKey}` })),
  refused("spec.publicKey", sshKey("with a private key as public key", { publicKey: file })),
  refused("spec.privateKey", sshKey("with an empty private key", { privateKey: "" })),
  refused("spec.network", machine("with a name that is too long as network", { network: "n".repeat(64) })),
  refused("spec.host", machine("with an address as host", { network: "", inventory: "rack", host: "192.0.2.1" })),
  refused("spec.account", inventory("without an account", { account: "" })),
  refused("spec.sshKey", inventory("without an SSH key", { sshKey: "" })),
  refused("spec.hosts[0].name", inventory("with a host without a name", { hosts: [{ address: "192.0.2.1" }] })),
  refused("spec.hosts[0].address", inventory("with an option as address", { hosts: [{ name: "a", address: "-oX=y" }] })),
  refused(
    "spec.hosts[0].port",
    inventory("with a port that is too high", { hosts: [{ name: "a", address: "a", port: 65_536 }] }),
  ),
  refused(
    "spec.hosts[0].mac",
    inventory("with a MAC address in upper case", { hosts: [{ name: "a", address: "a", mac: "52:54:00:AA:BB:CC" }] }),
  ),
  refused(
    "spec.hosts[0].bmc.address",
    inventory("with an unencrypted controller", {
      hosts: [{ name: "a", address: "a", bmc: { address: "http://a", user: "u" } }],
    }),
  ),
  refused(
    "spec.hosts[1].name",
    inventory("with two hosts of one name", { hosts: [host("a"), { ...host("a"), port: 2222 }] }),
    true,
  ),
  refused(
    "spec.hosts[1].address",
    inventory("with two hosts at one address", { hosts: [host("a"), { ...host("b"), address: "A" }] }),
    true,
  ),
  refused("spec.image", machine("with an image that is a command", { image: "$(reboot)" })),
  refused("spec.user", machine("with a user that is an option", { user: "-oProxyCommand=x" })),
  refused("spec.metadataTokens", machine("with an unknown choice of tokens", { metadataTokens: "never" })),
  refused("spec.rootDisk.sizeGib", machine("with a disk that is too large", { rootDisk: { sizeGib: 16_385 } })),
  refused("spec.rootDisk", machine("with a key for an unencrypted disk", { rootDisk: { encrypted: false, kmsKey: "k" } }), true),
  refused("spec.hostKeys[0]", machine("with a host key of several words", { hostKeys: [`${hostKey} a b`] })),
  refused("spec.sshKeys", machine("with the same key twice", { sshKeys: ["ops", "ops"] })),
  refused(
    "spec.aws.securityGroupIds[0]",
    machine("with the name of a security group instead of its id", { aws: { securityGroupIds: ["web"] } }),
  ),
  refused("spec.gcp.networkTags[0]", machine("with a network tag in upper case", { gcp: { networkTags: ["Web"] } })),
  refused("spec.gcp.serviceAccount", machine("with the name of a service account", { gcp: { serviceAccount: "web-server" } })),
  refused("spec.provisioner", machine("built by Terraform", { provisioner: "terraform" })),
  refused("spec", machine("with a version of a configuration", { infra: { version: "v1.0.0" } }), true),
  refused("spec.securityGroups", machine("with the same security group twice", { securityGroups: ["web", "web"] })),
  refused("spec.rules[0].protocol", securityGroup("with a rule without a protocol", everywhere)),
  refused("spec.rules[0].protocol", securityGroup("with an unknown protocol", { protocol: "sctp", ...everywhere })),
  refused(
    "spec.rules[0].toPort",
    securityGroup("with a port that is too high", { protocol: "tcp", fromPort: 1, toPort: 65_536, ...everywhere }),
  ),
  refused(
    "spec.rules[0].toPort",
    securityGroup("with ports in the wrong order", { protocol: "tcp", fromPort: 9, toPort: 8, ...everywhere }),
    true,
  ),
  refused("spec.rules[0].fromPort", securityGroup("with a last port only", { protocol: "udp", toPort: 8, ...everywhere }), true),
  refused("spec.rules[0].fromPort", securityGroup("with ports for icmp", { protocol: "icmp", fromPort: 8, ...everywhere }), true),
  refused("spec.rules[0].toPort", securityGroup("with ports for arp", { protocol: "arp", toPort: 8, ...everywhere }), true),
  refused("spec.rules[0].cidr", securityGroup("with host bits in a range", { protocol: "all", cidr: "10.0.0.1/8" }), true),
  refused("spec.rules[0].cidr", securityGroup("with an IPv6 range", { protocol: "all", cidr: "::/0" })),
  refused("spec.rules[0]", securityGroup("with a rule without a source", { protocol: "all" }), true),
  refused(
    "spec.rules[0].group",
    securityGroup("with two sources in one rule", { protocol: "all", group: "web", ...everywhere }),
    true,
  ),
  refused(
    "spec.rules",
    securityGroup("with too many rules", ...Array.from({ length: 101 }, () => ({ protocol: "all", ...everywhere }))),
  ),
  refused(
    "metadata.name",
    {
      ...securityGroup("with the name that rules use for their own group"),
      input: { metadata: { name: "self" }, spec: { network: "m" } },
    },
    true,
  ),
  refused("spec.account", volume("without an account", { account: "" })),
  refused("spec.sizeGib", volume("without a size", { sizeGib: 0 })),
  refused("spec.sizeGib", volume("that is too large", { sizeGib: 65_537 })),
  refused("spec.infra.version", volume("with a version of a configuration", { infra: { version: "v1.0.0" } }), true),
  refused("spec.sourceSnapshot", volume("with the name of a snapshot that is too long", { sourceSnapshot: "s".repeat(64) })),
  refused("spec.volume", snapshot("without a volume", { volume: "" })),
  refused("spec.infra.version", snapshot("with a version of a configuration", { infra: { version: "v1.0.0" } }), true),
];
