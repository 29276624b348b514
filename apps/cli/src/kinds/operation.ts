import type { CliKind } from "./cli-kind.ts";

export const operation: CliKind<"Operation"> = {
  verbs: ["list", "get", "describe", "watch", "events", "cancel", "retry", "logs"],
  columns: [
    ["VERB", ({ spec }) => spec?.verb],
    ["ENTITY", ({ spec }) => `${spec?.entityKind ?? ""}/${spec?.entityName ?? ""}`],
    [
      "STEPS",
      ({ status }) => `${(status?.steps ?? []).filter(({ state }) => state === "DONE").length}/${status?.steps?.length ?? 0}`,
    ],
    ["ACTOR", ({ spec }) => spec?.actor, "wide"],
    ["RETRIES", ({ spec }) => spec?.retries ?? 0, "wide"],
    ["CODE", ({ status }) => status?.code, "wide"],
  ],
  progress: "state",
  order: "createdAt",
  hasTimeline: true,
};
