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
const hostKey = `ssh-ed25519 ${"A".repeat(68)}`;
const file = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n";

/** Instances and SSH keys that the contract accepts. */
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

/** Instances and SSH keys that the contract rejects. */
export const rejectedMachines: readonly RejectedInput[] = [
  refused("spec.publicKey", sshKey("with two lines", { publicKey: `${hostKey}\n${hostKey}` })),
  refused("spec.publicKey", sshKey("with a private key as public key", { publicKey: file })),
  refused("spec.privateKey", sshKey("with an empty private key", { privateKey: "" })),
  refused("spec.network", machine("without a network", { network: "" })),
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
];
