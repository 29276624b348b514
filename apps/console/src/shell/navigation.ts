import type { KindName } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import type { IconName } from "../design/icons.tsx";
import { listedKinds } from "../kinds/registry.ts";

/** An entry in the navigation. */
export interface Destination {
  readonly label: string;
  readonly icon: IconName;
  /** The path segments after the project. */
  readonly path: readonly string[];
  /** The kind whose entities are counted next to the entry. */
  readonly kind?: KindName;
  /** The key that opens the page when pressed after `g`. */
  readonly key?: string;
  /** The permission that the user needs to see the entry. */
  readonly needs?: readonly [kind: string, verb: string];
}

/** The navigation of a project, in groups. */
export const navigation: readonly { readonly title: string; readonly places: readonly Destination[] }[] = [
  {
    title: "",
    places: [
      { label: "Overview", icon: "overview", path: [], key: "o" },
      { label: "Tree", icon: "graph", path: ["tree"], key: "t" },
    ],
  },
  {
    title: "Infrastructure",
    places: listedKinds.map(({ kind, icon, list, shortcuts }) => ({
      label: list.title,
      icon,
      path: ["k", getKind(kind).collection],
      kind,
      ...(shortcuts?.list === undefined ? {} : { key: shortcuts.list }),
    })),
  },
  {
    title: "Activity",
    places: [
      { label: "Operations", icon: "operation", path: ["operations"], key: "p" },
      { label: "Runs", icon: "run", path: ["runs"], key: "r" },
      { label: "Drift", icon: "drift", path: ["drift"], key: "d" },
      { label: "States", icon: "state", path: ["states"] },
    ],
  },
  {
    title: "Platform",
    places: [
      { label: "Agents", icon: "agent", path: ["agents"] },
      { label: "Agent grants", icon: "grant", path: ["grants"], needs: ["Backend", "list"] },
      { label: "Backends", icon: "save", path: ["backends"], needs: ["Backend", "list"] },
      { label: "Access", icon: "access", path: ["access"] },
      { label: "Audit log", icon: "audit", path: ["audit"], needs: ["AuditRecord", "list"] },
      { label: "Simulator", icon: "simulator", path: ["simulator"] },
    ],
  },
];
