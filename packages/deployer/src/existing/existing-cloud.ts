/** What differs between clouds for clusters that the platform did not create. */
export interface ExistingCloud {
  /** Terraform's types of a cluster and of a node pool. Plans, drift reports and policies use them. */
  readonly types: { readonly cluster: string; readonly pool: string };
  /** Actions that the account needs to manage a cluster, as the cloud's permission checks name them. */
  readonly actions: readonly string[];
  /** True if a new node pool needs a role, which it shares with another pool of the cluster. */
  readonly sharesRole?: boolean;
  /** True if the cloud's own autoscaler is on for exactly the pools that have limits. */
  readonly scalesWithinLimits?: boolean;
  /** Returns the commands that allow the account's identity these actions of the cloud. */
  renderActionGrant(grantee: Grantee, actions: readonly string[]): readonly string[];
  /** Returns the commands that let the account's identity use the cluster's Kubernetes API, with all rights. */
  renderAccessGrant(grantee: Grantee): readonly string[];
  /** Returns the commands that give the account's identity one more right in the cluster, if it can already log in there. */
  renderRightGrant(grantee: Grantee, right: KubernetesRight): readonly string[];
}

/** The identity that lacks rights, and the cluster that it needs them for. */
export interface Grantee {
  /** The cloud's own id of the cluster. */
  readonly id: string;
  /** Name of the cluster. */
  readonly cluster: string;
  readonly region: string;
  /** The account's identity, as the cloud's commands expect it. */
  readonly principal: string;
  /** How the cluster identifies callers, in clouds where clusters differ in this. */
  readonly authenticationMode?: string | undefined;
}

/** One action on one type of Kubernetes objects. */
export interface KubernetesRight {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
}

/** Returns the kubectl commands that give a Kubernetes user one right: a cluster role and its binding. */
export function renderRoleBinding(user: string, right: KubernetesRight): readonly string[] {
  const role = `cloudwright-${right.verb}-${right.subresource ?? right.resource}`;
  return [
    `kubectl create clusterrole ${role} --verb=${right.verb} --resource=${renderResource(right)}`,
    `kubectl create clusterrolebinding ${role} --clusterrole=${role} --user=${user}`,
  ];
}

/** Renders a resource as kubectl and messages name it, such as `pods/eviction`. */
export function renderResource({ resource, subresource }: KubernetesRight): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}
