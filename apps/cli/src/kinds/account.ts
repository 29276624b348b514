import { cloudOf, defaultCloud, getCloud } from "@cloudwright/contract/clouds";
import type { CliKind } from "./cli-kind.ts";
import { provisionedVerbs } from "./verbs.ts";

export const account: CliKind<"Account"> = {
  verbs: [...provisionedVerbs, "policy"],
  columns: [["CLOUD", ({ spec }) => `${cloudOf(spec ?? {}) ?? ""}${spec?.simulated === true ? " (simulated)" : ""}`]],
  removalNote:
    "deletes credentials: those that the platform stores for this account (nothing changes in the cloud account itself)",
  createExamples: [
    `cloud account create sandbox --cloud ${defaultCloud} --simulated`,
    `cloud account create prod ${getCloud(defaultCloud).examples.accountFlags}`,
    "cloud account create prod --env-file .env",
  ],
};
