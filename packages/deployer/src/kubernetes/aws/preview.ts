import { listAttributes } from "../../executor/describe-preview.ts";
import type { PlannedChange } from "../../executor/executor-plan.ts";
import type { PreviewItem } from "../../executor/preview-item.ts";

/** Describes planned changes to node groups and EKS add-ons. Returns undefined for other resources. */
export function describeAwsChange(change: PlannedChange): readonly PreviewItem[] | undefined {
  const { address, resourceType, action } = change;
  if (resourceType === "aws_eks_node_group") {
    return [{ part: "nodes", name: keyOf(address), action, message: describeNodes(change) }];
  }
  if (resourceType === "aws_eks_addon") {
    return [{ part: "add-ons", name: keyOf(address), action, message: describeAddOn(change) }];
  }
  return undefined;
}

/**
 * Returns the key of a resource instance, for example `default` for `aws_eks_node_group.pool["default"]`, or the name of a resource without
 * a key, for example `default` for `aws_eks_node_group.default`.
 */
function keyOf(address: string): string {
  return /\["(?<key>.*)"\]$/.exec(address)?.groups?.["key"] ?? address.slice(address.indexOf(".") + 1);
}

/** EKS replaces running nodes when one of these attributes changes. */
const renewing = new Set(["version", "release_version", "launch_template", "force_update_version"]);

function describeNodes({ action, before, after, changedPaths, replacePaths }: PlannedChange): string {
  const [from, to] = [countNodes(before), countNodes(after)];
  if (action === "create") return describeCount(to);
  if (action === "delete") return `${describeCount(from)} deleted`;
  const names = listAttributes(changedPaths.map(({ path }) => path));
  if (action === "replace")
    return `${describeCount(from)} replaced at the same time, once the new nodes are ready, because of ${listAttributes(replacePaths).join(", ")}`;
  const scaled = from === to ? [] : [`${from} -> ${to} nodes`];
  const renewed = names.some((name) => renewing.has(name)) ? [`${describeCount(from)} replaced, a third at a time`] : [];
  const others = names.filter((name) => name !== "scaling_config" && !renewing.has(name) && !name.startsWith("tags"));
  return [...renewed, ...scaled, ...others].join("; ") || names.join(", ");
}

function describeCount(count: number): string {
  return count === 1 ? "1 node" : `${count} nodes`;
}

function countNodes(value: unknown): number {
  const { scaling_config: sizes } = (value ?? {}) as { scaling_config?: readonly { desired_size?: number }[] };
  return sizes?.[0]?.desired_size ?? 0;
}

function describeAddOn({ before, after, changedPaths }: PlannedChange): string {
  const [from, to] = [before, after].map((value) => ((value ?? {}) as { addon_version?: string }).addon_version ?? "");
  const names = listAttributes(changedPaths.map(({ path }) => path)).filter((name) => name === "configuration_values");
  const versions = from === to || from === "" || to === "" ? to || from || "version chosen by EKS" : `${from} -> ${to}`;
  return from === to && names.length > 0
    ? "configuration"
    : [versions, ...(names.length > 0 ? ["configuration"] : [])].join("; ");
}
