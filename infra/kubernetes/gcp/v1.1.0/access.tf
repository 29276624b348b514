locals {
  made_account = toset(var.node_service_account == null ? ["made"] : [])
  node_account = var.node_service_account == null ? one([for account in google_service_account.nodes : account.email]) : var.node_service_account
  # Roles that GKE's agents on the nodes need. Compute Engine's default service account would let nodes change the whole project.
  node_roles = [
    "roles/autoscaling.metricsWriter",
    "roles/logging.logWriter",
    "roles/monitoring.metricWriter",
    "roles/monitoring.viewer",
    "roles/stackdriver.resourceMetadata.writer",
  ]
}

resource "google_service_account" "nodes" {
  for_each     = local.made_account
  account_id   = "${trim(substr(var.cluster_name, 0, 19), "-")}-n${local.suffix}"
  display_name = "Nodes of the cluster ${local.name}"
  description  = "${local.owned}nodes/${each.key})"
}

resource "google_project_iam_member" "nodes" {
  for_each = toset(var.node_service_account == null ? local.node_roles : [])
  project  = local.project
  role     = each.key
  member   = "serviceAccount:${local.node_account}"
}

# Lets nodes pull images from the project's registries.
resource "google_project_iam_member" "registry" {
  for_each = toset(var.node_service_account == null ? ["roles/artifactregistry.reader"] : [])
  project  = local.project
  role     = each.key
  member   = "serviceAccount:${local.node_account}"
}

# Lets the pods of a Kubernetes service account act as a Google service account.
resource "google_service_account_iam_member" "workload" {
  for_each           = var.workload_identities
  service_account_id = "projects/-/serviceAccounts/${each.value}"
  role               = "roles/iam.workloadIdentityUser"
  member             = "serviceAccount:${local.workload_pool}[${each.key}]"
  # A project's workload pool does not exist until its first cluster has been created.
  depends_on = [google_container_cluster.this]
}
