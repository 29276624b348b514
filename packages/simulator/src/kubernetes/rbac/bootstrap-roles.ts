import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import { makeObject } from "../cluster/make-object.ts";
import type { Rule } from "./authorize.ts";
import { mastersGroup, viewersGroup } from "./user.ts";

const apiVersion = "rbac.authorization.k8s.io/v1";
const read = ["get", "list", "watch"];
const write = ["create", "delete", "deletecollection", "patch", "update"];

const workloads: Rule[] = [
  {
    apiGroups: ["apps"],
    resources: [
      "deployments",
      "deployments/scale",
      "replicasets",
      "replicasets/scale",
      "statefulsets",
      "statefulsets/scale",
      "daemonsets",
    ],
    verbs: [],
  },
  { apiGroups: ["batch"], resources: ["jobs", "cronjobs"], verbs: [] },
  { apiGroups: ["autoscaling"], resources: ["horizontalpodautoscalers"], verbs: [] },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: [] },
  { apiGroups: ["networking.k8s.io"], resources: ["ingresses", "networkpolicies"], verbs: [] },
  {
    apiGroups: [""],
    resources: ["pods", "services", "endpoints", "configmaps", "persistentvolumeclaims", "serviceaccounts"],
    verbs: [],
  },
];

const viewRules: Rule[] = [
  ...workloads.map((rule) => ({ ...rule, verbs: read })),
  {
    apiGroups: [""],
    resources: ["pods/log", "pods/status", "services/status", "events", "namespaces", "limitranges", "resourcequotas"],
    verbs: read,
  },
  {
    apiGroups: ["apps"],
    resources: ["deployments/status", "replicasets/status", "statefulsets/status", "daemonsets/status"],
    verbs: read,
  },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: read },
];

const editRules: Rule[] = [
  ...viewRules,
  ...workloads.map((rule) => ({ ...rule, verbs: write })),
  { apiGroups: [""], resources: ["secrets"], verbs: [...read, ...write] },
  {
    apiGroups: [""],
    resources: ["pods/attach", "pods/exec", "pods/portforward", "pods/eviction", "serviceaccounts/token"],
    verbs: ["create", "get"],
  },
  { apiGroups: [""], resources: ["events"], verbs: write },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: [...read, ...write] },
];

const adminRules: Rule[] = [
  ...editRules,
  { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: [...read, ...write] },
  { apiGroups: ["authorization.k8s.io"], resources: ["localsubjectaccessreviews"], verbs: ["create"] },
];

const discoveryPaths = [
  "/api",
  "/api/*",
  "/apis",
  "/apis/*",
  "/healthz",
  "/livez",
  "/openapi",
  "/openapi/*",
  "/readyz",
  "/version",
  "/version/",
];

const roles: Record<string, Rule[]> = {
  "cluster-admin": [
    { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
    { nonResourceURLs: ["*"], verbs: ["*"] },
  ],
  admin: adminRules,
  edit: editRules,
  view: viewRules,
  "system:discovery": [{ nonResourceURLs: discoveryPaths, verbs: ["get"] }],
  "system:public-info-viewer": [{ nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"], verbs: ["get"] }],
  "cloudwright:viewer": [
    ...viewRules,
    { apiGroups: [""], resources: ["nodes", "nodes/status", "persistentvolumes"], verbs: read },
    { apiGroups: ["storage.k8s.io"], resources: ["storageclasses", "csidrivers", "csinodes", "volumeattachments"], verbs: read },
    { apiGroups: ["networking.k8s.io"], resources: ["ingressclasses"], verbs: read },
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: read },
    { apiGroups: ["scheduling.k8s.io"], resources: ["priorityclasses"], verbs: read },
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: read },
  ],
};

const bindings: Record<string, { role: string; groups: readonly string[] }> = {
  "cluster-admin": { role: "cluster-admin", groups: [mastersGroup] },
  "system:discovery": { role: "system:discovery", groups: ["system:authenticated"] },
  "system:public-info-viewer": { role: "system:public-info-viewer", groups: ["system:authenticated", "system:unauthenticated"] },
  "cloudwright:viewers": { role: "cloudwright:viewer", groups: [viewersGroup] },
};

/** Creates the default roles of a cluster and their bindings. */
export function makeRoles(cluster: AwakeCluster): void {
  const labels = { "kubernetes.io/bootstrapping": "rbac-defaults" };
  for (const [name, rules] of Object.entries(roles)) {
    makeObject(cluster, "clusterroles.rbac.authorization.k8s.io", {
      apiVersion,
      kind: "ClusterRole",
      metadata: { name, labels },
      rules,
    });
  }
  for (const [name, { role, groups }] of Object.entries(bindings)) {
    const subjects = groups.map((group) => ({ kind: "Group", name: group, apiGroup: "rbac.authorization.k8s.io" }));
    const roleRef = { kind: "ClusterRole", name: role, apiGroup: "rbac.authorization.k8s.io" };
    makeObject(cluster, "clusterrolebindings.rbac.authorization.k8s.io", {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata: { name, labels },
      subjects,
      roleRef,
    });
  }
}
