import type { CliKind } from "./cli-kind.ts";
import { writableVerbs } from "./verbs.ts";

export const environment: CliKind<"Environment"> = {
  verbs: writableVerbs,
  columns: [
    ["MEMBERS", ({ status }) => (status?.members ?? []).reduce((sum, { count }) => sum + (count ?? 0), 0)],
    ["DESCRIPTION", ({ spec }) => spec?.description],
  ],
  progress: "none",
};
