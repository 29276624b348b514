import type { CliKind } from "./cli-kind.ts";
import { provisionedVerbs } from "./verbs.ts";

export const volume: CliKind<"Volume"> = {
  verbs: [...provisionedVerbs, "attach", "detach", "resize", "snapshot"],
  columns: [
    ["ACCOUNT", ({ spec }) => spec?.account],
    ["SIZE", ({ spec }) => `${spec?.sizeGib ?? 0} GiB`],
    ["ATTACHED TO", ({ status }) => status?.attachedTo],
    ["DEVICE", ({ status }) => status?.device, "wide"],
    ["VOLUME ID", ({ status }) => status?.volumeId, "wide"],
  ],
  createExamples: [
    "cloud volume create data --account rack --size-gib 20 --wait",
    "cloud volume create data --account rack --size-gib 20 --instance web --wait",
    "cloud volume create restored --account rack --size-gib 20 --source-snapshot s1 --wait",
  ],
  updateExamples: ["cloud volume update data --size-gib 40 --wait"],
  parentColumn: "ACCOUNT",
};
