import type { CliKind } from "./cli-kind.ts";
import { globalVerbs } from "./verbs.ts";

export const project: CliKind<"Project"> = {
  verbs: [...globalVerbs, "pause", "resume"],
  columns: [
    ["DISPLAY NAME", ({ spec }) => spec?.displayName],
    ["DESCRIPTION", ({ spec }) => spec?.description, "wide"],
  ],
  progress: "none",
  confirmByName: true,
  containsProject: true,
};
