/** Cloud-specific facts for managing clusters that the platform did not create. */
export interface ExistingCloud {
  /** Terraform resource types of clusters and node pools. Plans, drift reports and policies use them. */
  readonly types: { readonly cluster: string; readonly pool: string };
  /**
   * Actions that the account must be allowed to perform in order to manage a cluster. The names are those of the cloud's permission
   * checks.
   */
  readonly actions: readonly string[];
  /** True if a new node pool needs a role, which it shares with another pool of the cluster. */
  readonly sharesRole?: boolean;
  /** True if the cloud's own autoscaler is on for a pool exactly when the pool has size limits. */
  readonly scalesWithinLimits?: boolean;
  /** Returns the commands that allow the account's identity to perform these actions in the cloud. */
  renderActionGrant(grantee: Grantee, actions: readonly string[]): readonly string[];
  /** Returns the commands that give the account's identity full access to the cluster's Kubernetes API. */
  renderAccessGrant(grantee: Grantee): readonly string[];
  /** Returns the commands that grant one more right in the cluster. The account's identity must already be able to log in there. */
  renderRightGrant(grantee: Grantee, right: KubernetesRight): readonly string[];
}

/** The identity that lacks rights, and the cluster that it needs them for. */
export interface Grantee {
  /** The cluster's id in the cloud. */
  readonly id: string;
  /** Name of the cluster. */
  readonly cluster: string;
  readonly region: string;
  /** The account's identity, in the format that the cloud's commands expect. */
  readonly principal: string;
  /** The cluster's authentication mode. Absent in clouds where all clusters use the same one. */
  readonly authenticationMode?: string | undefined;
}

/** Permission to perform one action on one type of Kubernetes object. */
export interface KubernetesRight {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
}

/** Returns the kubectl commands that grant one right to a Kubernetes user. They create a cluster role and its binding. */
export function renderRoleBinding(user: string, right: KubernetesRight): readonly string[] {
  const role = `cloudwright-${right.verb}-${right.subresource ?? right.resource}`;
  return [
    `kubectl create clusterrole ${role} --verb=${right.verb} --resource=${renderResource(right)}`,
    `kubectl create clusterrolebinding ${role} --clusterrole=${role} --user=${user}`,
  ];
}

/** Renders a resource in kubectl's notation, such as `pods/eviction`. */
export function renderResource({ resource, subresource }: KubernetesRight): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}
