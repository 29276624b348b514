import type { JsonObject } from "@cloudwright/deployer";
import type { StoredPlan } from "@cloudwright/deployer/testing";

interface PlannedChange {
  readonly address: string;
  readonly resourceType: string;
  readonly action: string;
  readonly values: { readonly after: JsonObject | null };
}

/** Renders a plan for a golden file: the sorted resource addresses, each with the attributes that a reviewer needs to see. */
export function renderGoldenPlan({ changes }: StoredPlan, shown: Readonly<Record<string, readonly string[]>>): string {
  const entries = (changes as unknown as readonly PlannedChange[])
    .toSorted((a, b) => (a.address < b.address ? -1 : 1))
    .map(({ address, resourceType, action, values }) => {
      const after = values.after ?? {};
      const known = (shown[resourceType] ?? []).filter((name) => after[name] !== undefined && after[name] !== null);
      const attributes = Object.fromEntries(known.map((name) => [name, after[name]]));
      return [address, action === "create" ? attributes : { action, ...attributes }] as const;
    });
  return `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`;
}

/** Attributes shown in the golden files of AWS cluster upgrades. Their values do not contain the entity's uid. */
export const upgradeAttributes: Readonly<Record<string, readonly string[]>> = {
  aws_cloudwatch_log_group: ["retention_in_days"],
  aws_eks_access_entry: ["kubernetes_groups", "type"],
  aws_eks_access_policy_association: ["policy_arn"],
  aws_eks_addon: ["addon_name"],
  aws_eks_cluster: [
    "access_config",
    "deletion_protection",
    "enabled_cluster_log_types",
    "encryption_config",
    "upgrade_policy",
    "version",
  ],
  aws_eks_node_group: ["ami_type", "capacity_type", "disk_size", "instance_types", "labels", "scaling_config", "taint"],
  aws_eks_pod_identity_association: ["namespace", "service_account"],
  aws_iam_role_policy_attachment: ["policy_arn"],
  aws_kms_key: ["enable_key_rotation"],
  aws_launch_template: ["block_device_mappings", "metadata_options"],
};
