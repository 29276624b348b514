import { createHostFlag } from "../flags/host-flag.ts";
import type { CliKind } from "./cli-kind.ts";
import { provisionedVerbs } from "./verbs.ts";

export const inventory: CliKind<"Inventory"> = {
  verbs: [...provisionedVerbs, "check", "trust"],
  columns: [
    ["ACCOUNT", ({ spec }) => spec?.account],
    ["HOSTS", ({ spec }) => spec?.hosts?.length ?? 0],
    ["READY", ({ status }) => (status?.hosts ?? []).filter(({ state }) => state === "READY").length],
    ["CLAIMED", ({ status }) => status?.claims?.length ?? 0],
    ["SSH KEY", ({ spec }) => spec?.sshKey, "wide"],
  ],
  createExamples: [
    "cloud inventory create rack --account rack --ssh-key ops --host name=node-1,address=192.0.2.11 --host name=node-2,address=192.0.2.12,user=admin --wait",
    "cloud inventory create -f rack.yaml --wait",
  ],
  updateExamples: [
    "cloud inventory update rack --host name=node-1,address=192.0.2.11 --host name=node-3,address=192.0.2.13 --wait",
  ],
  parentColumn: "ACCOUNT",
  recordFlags: [createHostFlag()],
};
