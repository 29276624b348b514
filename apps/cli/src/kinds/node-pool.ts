import type { CliKind } from "./cli-kind.ts";
import { provisionedVerbs } from "./verbs.ts";

export const nodePool: CliKind<"NodePool"> = {
  verbs: provisionedVerbs,
  columns: [
    ["TYPE", ({ spec }) => spec?.instanceType],
    ["MIN", ({ spec }) => spec?.min ?? 0],
    ["DESIRED", ({ spec }) => spec?.desired ?? 0],
    ["MAX", ({ spec }) => spec?.max ?? 0],
    ["CAPACITY", ({ spec }) => spec?.capacity, "wide"],
  ],
  createExamples: ["cloud nodepool create spot --cluster dev --min 0 --desired 2 --max 5 --capacity spot"],
};
