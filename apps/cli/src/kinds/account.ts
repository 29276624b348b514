import { cloudOf, defaultCloud, getCloud } from "@cloudwright/contract/clouds";
import type { CliKind } from "./cli-kind.ts";
import { provisionedVerbs } from "./verbs.ts";

export const account: CliKind<"Account"> = {
  verbs: [...provisionedVerbs, "policy"],
  columns: [["CLOUD", ({ spec }) => `${cloudOf(spec ?? {}) ?? ""}${spec?.simulated === true ? " (simulated)" : ""}`]],
  removalNote: "deletes the credentials that the platform stores for this account (the cloud account itself does not change)",
  createExamples: [
    `cloud account create sandbox --cloud ${defaultCloud} --simulated`,
    `cloud account create prod ${getCloud(defaultCloud).examples.accountFlags}`,
    "cloud account create prod --env-file .env",
    `cloud account create rack --cloud local ${getCloud("local").examples.accountFlags}`,
  ],
};
