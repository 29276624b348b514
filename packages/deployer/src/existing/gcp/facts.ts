import { renderRoleBinding, type ExistingCloud, type Grantee } from "../existing-cloud.ts";

export const existingGke: ExistingCloud = {
  types: { cluster: "google_container_cluster", pool: "google_container_node_pool" },
  scalesWithinLimits: true,
  // GKE also requires the permission to update the cluster for every change to its pools.
  actions: ["container.clusters.update", "container.operations.get"],
  renderActionGrant: (grantee) => [renderBinding(grantee, "roles/container.clusterAdmin")],
  renderAccessGrant: (grantee) => [renderBinding(grantee, "roles/container.admin")],
  renderRightGrant: ({ principal }, right) => renderRoleBinding(principal, right),
};

function renderBinding({ id, principal }: Grantee, role: string): string {
  const project = /^projects\/(?<project>[^/]+)\//.exec(id)?.groups?.["project"] ?? "PROJECT";
  return `gcloud projects add-iam-policy-binding ${project} --member=${renderMember(principal)} --role=${role}`;
}

function renderMember(principal: string): string {
  if (principal.startsWith("principal")) return principal;
  return `${principal.endsWith(".gserviceaccount.com") ? "serviceAccount" : "user"}:${principal}`;
}
