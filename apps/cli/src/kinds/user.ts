import type { CliKind } from "./cli-kind.ts";
import { globalVerbs } from "./verbs.ts";

export const user: CliKind<"User"> = {
  verbs: globalVerbs,
  columns: [
    ["DISPLAY NAME", ({ spec }) => spec?.displayName],
    ["EMAIL", ({ spec }) => spec?.email],
    ["DISABLED", ({ spec }) => (spec?.disabled === true ? "yes" : "no")],
  ],
  createExamples: ["cloud user create ann --display-name Ann --email ann@example.com"],
  progress: "none",
};
