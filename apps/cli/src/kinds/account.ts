import { cloudOf } from "@cloudwright/contract/clouds";
import type { CliKind } from "./cli-kind.ts";
import { provisionedVerbs } from "./verbs.ts";

export const account: CliKind<"Account"> = {
  verbs: [...provisionedVerbs, "iam-policy"],
  columns: [["CLOUD", ({ spec }) => `${cloudOf(spec ?? {}) ?? ""}${spec?.simulated === true ? " (simulated)" : ""}`]],
  createExamples: [
    "cloud account create sandbox --cloud aws --simulated",
    "cloud account create prod --aws-access-key-id AKIA... --aws-secret-access-key-file key.txt",
    "cloud account create prod --env-file .env",
  ],
};
