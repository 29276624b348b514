import type { CliKind } from "./cli-kind.ts";
import { provisionedVerbs } from "./verbs.ts";

export const storage: CliKind<"Storage"> = {
  verbs: provisionedVerbs,
  columns: [
    ["CLUSTER", ({ spec }) => spec?.cluster],
    ["TYPE", ({ spec }) => (spec?.bucket === undefined ? `volume ${spec?.volume?.sizeGib ?? 0} GiB` : "bucket")],
    ["RESOURCE ID", ({ status }) => status?.resourceId, "wide"],
  ],
  createExamples: [
    "cloud storage create backups --cluster dev --type bucket",
    "cloud storage create data --cluster dev --volume-size-gib 20",
  ],
  parentColumn: "CLUSTER",
};
