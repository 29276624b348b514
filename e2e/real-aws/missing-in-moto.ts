import type { Run } from "@cloudwright/simulator/testing";

/** Resources of the cluster configuration that moto rejects, mapped to the EKS calls that moto does not implement. */
export const refusedByMoto: Readonly<Record<string, string>> = {
  "data.aws_eks_addon_version.usual": "DescribeAddonVersions",
  "aws_eks_addon.early": "CreateAddon",
  "aws_eks_access_entry.this": "CreateAccessEntry",
  "aws_eks_access_entry.karpenter_nodes": "CreateAccessEntry",
  "aws_eks_pod_identity_association.this": "CreatePodIdentityAssociation",
};

/** Resources that depend on the rejected ones, so Terraform never creates them. moto does not implement them either. */
export const behindTheRefused = ["aws_eks_addon.late", "aws_eks_access_policy_association.this"] as const;

/** Returns the resources that failed during a plan or apply, mapped to the unimplemented EKS calls. */
export function listRefused({ events }: Run): Readonly<Record<string, string>> {
  const errors = events.flatMap(({ diagnostic }) => (diagnostic?.severity === "error" ? [diagnostic] : []));
  return Object.fromEntries(
    errors.map(({ address = "", summary, detail }) => {
      const said = `${summary} ${detail}`;
      return [resourceOf(address), /operation error EKS: (\w+)/.exec(said)?.[1] ?? said];
    }),
  );
}

/** Returns a resource address without its instance key. */
export function resourceOf(address: string): string {
  return address.replace(/\[.*$/s, "");
}

/** Renders an override that removes resources moto does not implement, and ignores node group attributes it returns incorrectly. */
export function renderWithoutMissing(): object {
  const resources: Record<string, Record<string, object>> = {
    aws_eks_node_group: { pool: { lifecycle: { ignore_changes: ["remote_access", "update_config"] } } },
  };
  for (const resource of [...Object.keys(refusedByMoto), ...behindTheRefused]) {
    const [type = "", name = ""] = resource.split(".");
    if (type !== "data") resources[type] = { ...resources[type], [name]: { for_each: "${{}}" } };
  }
  return resources;
}
