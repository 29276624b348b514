import type { CliKind } from "./cli-kind.ts";
import { globalVerbs } from "./verbs.ts";

export const backend: CliKind<"Backend"> = {
  verbs: [...globalVerbs, "uses", "adopt"],
  columns: [
    ["TYPE", ({ spec }) => spec?.type],
    ["STORED IN", ({ spec }) => renderPlace(spec)],
    ["PROJECTS", ({ spec }) => (spec?.projects ?? []).join(",")],
    ["SECRETS", ({ status }) => (status?.secretsSet ?? []).map((path) => path.replace(/^spec\./, "")).join(","), "wide"],
  ],
  createExamples: [
    "cloud backend create states --type gcs --settings bucket=my-states --projects team-a --projects team-b",
    "cloud backend create lab --type pg --settings host=db.example.org --settings database=terraform --settings user=terraform --projects lab",
  ],
  progress: "none",
};

/** Renders the bucket, container or host that stores the states. */
export function renderPlace(
  spec: { readonly settings?: Readonly<Record<string, string>>; readonly prefix?: string } | undefined,
): string {
  const { bucket, storage_account_name: storageAccount, container_name: container, host, database } = spec?.settings ?? {};
  return [bucket, storageAccount, container, host, database, spec?.prefix]
    .filter((part) => part !== undefined && part !== "")
    .join("/");
}
