import type { IconName } from "../design/icons.tsx";

/** An entry of the navigation. */
export interface Destination {
  readonly label: string;
  readonly icon: IconName;
  /** The path below the project. */
  readonly path: readonly string[];
  /** The kind whose entities are counted beside the entry. */
  readonly kind?: "Account" | "Network" | "Cluster" | "Storage" | "Environment";
  /** The permission required to see the entry. */
  readonly needs?: readonly [kind: string, verb: string];
}

/** The navigation of a project, in groups. */
export const navigation: readonly { readonly title: string; readonly places: readonly Destination[] }[] = [
  {
    title: "",
    places: [
      { label: "Overview", icon: "overview", path: [] },
      { label: "Tree", icon: "graph", path: ["tree"] },
    ],
  },
  {
    title: "Infrastructure",
    places: [
      { label: "Accounts", icon: "account", path: ["k", "accounts"], kind: "Account" },
      { label: "Networks", icon: "network", path: ["k", "networks"], kind: "Network" },
      { label: "Clusters", icon: "cluster", path: ["k", "clusters"], kind: "Cluster" },
      { label: "Storage", icon: "storage", path: ["k", "storages"], kind: "Storage" },
      { label: "Environments", icon: "environment", path: ["k", "environments"], kind: "Environment" },
    ],
  },
  {
    title: "Activity",
    places: [
      { label: "Operations", icon: "operation", path: ["operations"] },
      { label: "Runs", icon: "run", path: ["runs"] },
      { label: "Drift", icon: "drift", path: ["drift"] },
      { label: "States", icon: "state", path: ["states"] },
    ],
  },
  {
    title: "Platform",
    places: [
      { label: "Agents", icon: "agent", path: ["agents"] },
      { label: "Access", icon: "access", path: ["access"] },
      { label: "Audit log", icon: "audit", path: ["audit"], needs: ["AuditRecord", "list"] },
      { label: "Simulator", icon: "simulator", path: ["simulator"] },
    ],
  },
];
