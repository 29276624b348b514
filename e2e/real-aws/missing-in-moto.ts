import type { Run } from "@cloudwright/simulator/testing";

/** What of a cluster's configuration moto refuses, and the calls of EKS that it does not have. */
export const refusedByMoto: Readonly<Record<string, string>> = {
  "data.aws_eks_addon_version.usual": "DescribeAddonVersions",
  "aws_eks_addon.early": "CreateAddon",
  "aws_eks_access_entry.this": "CreateAccessEntry",
  "aws_eks_access_entry.karpenter_nodes": "CreateAccessEntry",
  "aws_eks_pod_identity_association.this": "CreatePodIdentityAssociation",
};

/** What waits for those, and so is never tried; moto has nothing for it either. */
export const behindTheRefused = ["aws_eks_addon.late", "aws_eks_access_policy_association.this"] as const;

/** What a plan or an apply was refused: the resources, and the calls that were not answered. */
export function listRefused({ events }: Run): Readonly<Record<string, string>> {
  const errors = events.flatMap(({ diagnostic }) => (diagnostic?.severity === "error" ? [diagnostic] : []));
  return Object.fromEntries(
    errors.map(({ address = "", summary, detail }) => {
      const said = `${summary} ${detail}`;
      return [resourceOf(address), /operation error EKS: (\w+)/.exec(said)?.[1] ?? said];
    }),
  );
}

/** The resource of an address, without the key. */
export function resourceOf(address: string): string {
  return address.replace(/\[.*$/s, "");
}

/** An override that takes out what moto lacks, and what it tells wrongly of node groups: a way in that nobody made, and nothing of how they are updated. */
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
