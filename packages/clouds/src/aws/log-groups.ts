import { callJson } from "./call-json.ts";
import type { CredentialSource } from "./credentials.ts";
import type { AwsEndpoints } from "./endpoints.ts";
import type { TaggedResource } from "./owned-resources.ts";

/**
 * Lists the log groups that EKS itself created for clusters. These groups carry no tags, so they are found by name, which contains the
 * cluster's name. Omits groups that are already in `resources`.
 */
export async function listClusterLogGroups(
  source: CredentialSource,
  place: { readonly region: string; readonly endpoints: AwsEndpoints },
  resources: readonly TaggedResource[],
): Promise<TaggedResource[]> {
  const known = new Set(resources.map(({ type, id }) => `${type} ${id}`));
  const clusters = resources.filter(({ type }) => type === "aws_eks_cluster");
  const found = await Promise.all(
    clusters.map(async ({ id: cluster }) => {
      const id = `/aws/eks/${cluster}/cluster`;
      if (known.has(`aws_cloudwatch_log_group ${id}`) || !(await hasLogGroup(source, place, id))) return [];
      return [{ type: "aws_cloudwatch_log_group", id, tags: {}, names: [cluster] }];
    }),
  );
  return found.flat();
}

async function hasLogGroup(
  source: CredentialSource,
  place: { readonly region: string; readonly endpoints: AwsEndpoints },
  name: string,
): Promise<boolean> {
  const answer = await callJson(source, {
    ...place,
    service: "logs",
    target: "Logs_20140328.DescribeLogGroups",
    doing: "list log groups",
    body: { logGroupNamePrefix: name },
  });
  const groups = (answer["logGroups"] ?? []) as readonly { readonly logGroupName?: string }[];
  return groups.some(({ logGroupName }) => logGroupName === name);
}
