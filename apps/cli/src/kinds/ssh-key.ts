import type { CliKind } from "./cli-kind.ts";
import { writableVerbs } from "./verbs.ts";

export const sshKey: CliKind<"SshKey"> = {
  verbs: [...writableVerbs, "rotate", "private"],
  columns: [
    ["TYPE", ({ status }) => status?.type],
    ["FINGERPRINT", ({ status }) => status?.fingerprint],
    ["ROTATION", ({ status }) => status?.rotation?.stage],
    ["PRIVATE KEY", ({ status }) => ((status?.secretsSet ?? []).length > 0 ? "stored" : "not stored")],
  ],
  createExamples: ["cloud sshkey create ops", 'cloud sshkey create ann --public-key "$(cat ~/.ssh/id_ed25519.pub)"'],
  progress: "none",
  removalNote: "deletes the private key that the platform stores (instances keep the public key)",
};
