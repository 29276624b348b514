import type { CliKind } from "./cli-kind.ts";
import { provisionedVerbs } from "./verbs.ts";

export const volumeSnapshot: CliKind<"VolumeSnapshot"> = {
  verbs: provisionedVerbs,
  columns: [
    ["ACCOUNT", ({ spec }) => spec?.account],
    ["VOLUME", ({ spec }) => spec?.volume],
    ["SIZE", ({ status }) => (status?.sizeGib === undefined ? undefined : `${status.sizeGib} GiB`)],
    ["CONSISTENCY", ({ status }) => status?.consistency, "wide"],
    ["SNAPSHOT ID", ({ status }) => status?.snapshotId, "wide"],
  ],
  createExamples: ["cloud snapshot create s1 --volume data --wait", "cloud volume snapshot data --name s1 --wait"],
  parentColumn: "ACCOUNT",
};
