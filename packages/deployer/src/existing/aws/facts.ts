import type { ExistingCloud, Grantee } from "../existing-cloud.ts";

export const existingEks: ExistingCloud = {
  types: { cluster: "aws_eks_cluster", pool: "aws_eks_node_group" },
  actions: [
    "eks:UpdateClusterVersion",
    "eks:DescribeUpdate",
    "eks:CreateNodegroup",
    "eks:DeleteNodegroup",
    "eks:UpdateNodegroupConfig",
    "eks:UpdateNodegroupVersion",
  ],
  sharesRole: true,
  renderActionGrant(grantee, actions) {
    const { id, cluster, principal } = grantee;
    const Resource = [id, `${id.replace(/:cluster\/[^/]*$/, `:nodegroup/${cluster}`)}/*`];
    const document = { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: actions, Resource }] };
    const [, kind = "role", name = principal] = /:(?<kind>role|user)\/(?:.*\/)?(?<name>[^/]+)$/.exec(principal) ?? [];
    return [
      `aws iam put-${kind}-policy --${kind}-name ${name} --policy-name cloudwright-${cluster} --policy-document '${JSON.stringify(document)}'`,
    ];
  },
  renderAccessGrant: renderAccess,
  // Grants full access, even if only a single right is missing. An identity from the `aws-auth` ConfigMap has no access entry yet. If an
  // entry exists, an access policy adds to its rights, whereas its Kubernetes groups could only be replaced as a whole.
  renderRightGrant: renderAccess,
};

/**
 * Renders the commands that create an access entry with an access policy. If the cluster's authentication mode does not allow access
 * entries, the commands change the mode first. This is necessary for clusters that were created with the defaults of the aws CLI.
 */
function renderAccess(grantee: Grantee): readonly string[] {
  const { cluster, region, authenticationMode } = grantee;
  const place = renderPlace(grantee);
  const own = `--region ${region} --name ${cluster}`;
  const mode = [
    `aws eks update-cluster-config ${own} --access-config authenticationMode=API_AND_CONFIG_MAP`,
    `aws eks wait cluster-active ${own}`,
  ];
  return [
    ...(authenticationMode === "CONFIG_MAP" ? mode : []),
    `{ aws eks describe-access-entry ${place} >/dev/null 2>&1 || aws eks create-access-entry ${place}; }`,
    renderPolicy(grantee),
  ];
}

function renderPlace({ cluster, region, principal }: Grantee): string {
  return `--region ${region} --cluster-name ${cluster} --principal-arn ${principal}`;
}

function renderPolicy(grantee: Grantee): string {
  const partition = /^arn:(?<partition>[^:]+):/.exec(grantee.id)?.groups?.["partition"] ?? "aws";
  const policy = `arn:${partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`;
  return `aws eks associate-access-policy ${renderPlace(grantee)} --access-scope type=cluster --policy-arn ${policy}`;
}
