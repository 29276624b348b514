import type { CliKind } from "./cli-kind.ts";

export const apiKey: CliKind<"ApiKey"> = {
  verbs: ["list", "get", "describe", "create", "delete", "rotate"],
  columns: [
    ["USER", ({ spec }) => spec?.user],
    ["PREFIX", ({ status }) => status?.prefix],
    ["PROJECT", ({ spec }) => spec?.project || "*"],
    ["ROLE", ({ spec }) => spec?.role],
    ["EXPIRES", ({ spec }) => spec?.expiresAt ?? "never"],
    ["DESCRIPTION", ({ spec }) => spec?.description, "wide"],
  ],
  createExamples: ["cloud apikey create ci --user ci --project default --role editor --expires-at 90d > key.txt"],
  progress: "none",
  printsKey: true,
};
