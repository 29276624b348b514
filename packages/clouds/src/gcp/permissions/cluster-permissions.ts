const verbs = {
  read: ["get", "list"],
  write: ["create", "delete", "get", "list", "update"],
  // Without `bind` and `escalate`, RBAC would allow the platform to grant only permissions that it has itself. The roles that it creates
  // for users and add-ons contain further permissions.
  grant: ["bind", "create", "delete", "escalate", "get", "list", "update"],
} as const;

/** Types of Kubernetes objects that the platform uses, keyed by the access that it needs. */
const objects: Readonly<Record<keyof typeof verbs, readonly string[]>> = {
  read: ["controllerRevisions", "endpoints", "events", "replicaSets", "runtimeClasses"],
  write: [
    "apiServices",
    "clusterRoleBindings",
    "configMaps",
    "csiDrivers",
    "customResourceDefinitions",
    "daemonSets",
    "deployments",
    "horizontalPodAutoscalers",
    "ingresses",
    "jobs",
    "leases",
    "mutatingWebhookConfigurations",
    "namespaces",
    "networkPolicies",
    "nodes",
    "persistentVolumeClaims",
    "persistentVolumes",
    "podDisruptionBudgets",
    "pods",
    "priorityClasses",
    "roleBindings",
    "secrets",
    "serviceAccounts",
    "services",
    "statefulSets",
    "storageClasses",
    "thirdPartyObjects",
    "validatingWebhookConfigurations",
  ],
  grant: ["clusterRoles", "roles"],
};

/**
 * Permissions inside clusters: installing add-ons, removing Services and claims before a deletion, and creating short-lived kubeconfigs.
 * They are granted through IAM, because the identity that creates a GKE cluster gets no role in it.
 */
export const clusterPermissions: readonly string[] = [
  ...Object.entries(objects).flatMap(([use, names]) =>
    names.flatMap((name) => verbs[use as keyof typeof verbs].map((verb) => `container.${name}.${verb}`)),
  ),
  "container.clusters.connect",
  "container.pods.evict",
  "container.pods.getLogs",
  "container.serviceAccounts.createToken",
].toSorted();
