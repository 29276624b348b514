import type { KubeObject } from "@cloudwright/kube";
import { ownLabels } from "../addons/inventory.ts";

/** Permissions that a user's cluster token grants. */
export type AccessRole = "admin" | "viewer";

/** Namespace of the service accounts that cluster tokens are issued for. */
export const accessNamespace = "cloudwright-access";

const group = "rbac.authorization.k8s.io";

/** Returns the name of the service account for a role. */
export function accountOf(role: AccessRole): string {
  return `cloudwright-${role}`;
}

/**
 * Returns the service account and role bindings that must exist before a token can be issued for the role. Viewers get the built-in `view`
 * role, which excludes secrets, plus read access to cluster-scoped objects such as nodes.
 */
export function renderAccessObjects(role: AccessRole): readonly KubeObject[] {
  const name = accountOf(role);
  const account: KubeObject = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name, namespace: accessNamespace, labels: { ...ownLabels } },
    // No pod runs as this service account.
    automountServiceAccountToken: false,
  };
  const home: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: accessNamespace, labels: { ...ownLabels } } };
  if (role === "admin") return [home, account, bind(name, "cluster-admin", name)];
  return [home, account, bind(name, "view", name), lookAround(clusterWide), bind(clusterWide, clusterWide, name)];
}

const clusterWide = "cloudwright-viewer-cluster";

function lookAround(name: string): KubeObject {
  const read = (apiGroup: string, ...resources: string[]): object => ({
    apiGroups: [apiGroup],
    resources,
    verbs: ["get", "list", "watch"],
  });
  const rules = [
    read("", "nodes", "persistentvolumes"),
    read("metrics.k8s.io", "nodes", "pods"),
    read("storage.k8s.io", "storageclasses", "csidrivers", "csinodes", "volumeattachments"),
    read("networking.k8s.io", "ingressclasses"),
    read("apiextensions.k8s.io", "customresourcedefinitions"),
    read("scheduling.k8s.io", "priorityclasses"),
  ];
  return { apiVersion: `${group}/v1`, kind: "ClusterRole", metadata: { name, labels: { ...ownLabels } }, rules };
}

function bind(name: string, role: string, account: string): KubeObject {
  return {
    apiVersion: `${group}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name, labels: { ...ownLabels } },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", name: account, namespace: accessNamespace }],
  };
}
