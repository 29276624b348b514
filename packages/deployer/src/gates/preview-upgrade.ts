import { isMinorUpgrade, nextKubernetesVersion, type TaskSpec } from "@cloudwright/contract";
import type { PreviewItem } from "../executor/preview-item.ts";

/**
 * Lists the steps of an upgrade in order: for each minor version, its gates and its run. Returns an empty list if the change is not an
 * upgrade.
 */
export function previewUpgrade(running: string, { version, upgrade }: TaskSpec<"Cluster">): PreviewItem[] {
  const items: PreviewItem[] = [];
  const gates = upgrade?.gates ?? [];
  const check = (stage: string, message: string): void => {
    const names = gates.filter(({ when }) => when.length === 0 || when.includes(stage)).map(({ name }) => name);
    const said = names.length === 0 ? "no gates" : `gates: ${names.join(", ")}`;
    items.push({ part: "upgrade", name: stage, action: "check", message: `${message}; ${said}` });
  };
  for (let from = running; isMinorUpgrade(from, version);) {
    const to = nextKubernetesVersion(from, version) ?? version;
    check(from === running ? "before" : "between", `node versions before the upgrade to ${to}`);
    const message = "control plane, then nodes, in one run";
    items.push({ part: "upgrade", name: to, action: "update", message });
    from = to;
  }
  if (items.length > 0) check("after", `node versions after the upgrade to ${version} and its add-ons`);
  return items;
}
