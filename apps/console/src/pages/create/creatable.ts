import type { IconName } from "../../design/icons.tsx";

/** The kinds that have a create form, in the order in which a user needs them. */
export const creatable = [
  { kind: "Account", word: "account", collection: "accounts", icon: "account" },
  { kind: "Network", word: "network", collection: "networks", icon: "network" },
  { kind: "Cluster", word: "cluster", collection: "clusters", icon: "cluster" },
  { kind: "NodePool", word: "nodepool", collection: "nodepools", icon: "nodepool" },
  { kind: "Storage", word: "storage", collection: "storages", icon: "storage" },
  { kind: "Environment", word: "environment", collection: "environments", icon: "environment" },
] as const satisfies readonly { kind: string; word: string; collection: string; icon: IconName }[];

export type CreatableKind = (typeof creatable)[number]["kind"];

/** Returns the icon of a kind. */
export function iconOfKind(kind: string): IconName {
  return creatable.find((each) => each.kind === kind)?.icon ?? "dot";
}
