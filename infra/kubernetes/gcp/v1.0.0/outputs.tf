output "cluster_name" {
  description = "Name of the cluster in GKE."
  value       = try(google_container_cluster.this.name, null)
}

output "cluster_id" {
  description = "Full name of the cluster, with its project and location."
  value       = try(google_container_cluster.this.id, null)
}

output "project" {
  description = "Id of the project that contains the cluster."
  value       = try(google_container_cluster.this.project, null)
}

output "region" {
  description = "Region of the cluster."
  value       = var.region
}

output "location" {
  description = "Region or zone of the control plane."
  value       = local.location
}

output "network_id" {
  description = "Id of the cluster's VPC network."
  value       = var.network_id
}

output "worker_subnet_ids" {
  description = "Ids of the subnets that workers are placed in."
  value       = compact([var.subnet_id])
}

output "endpoint" {
  description = "URL of the API server. Private if the cluster has no public endpoint."
  value       = try("https://${google_container_cluster.this.endpoint}", null)
}

output "dns_endpoint" {
  description = "DNS name of the API server."
  value       = try(google_container_cluster.this.control_plane_endpoints_config[0].dns_endpoint_config[0].endpoint, "")
}

output "certificate_authority" {
  description = "CA certificate of the API server, as base64-encoded PEM."
  value       = try(google_container_cluster.this.master_auth[0].cluster_ca_certificate, null)
}

output "version" {
  description = "Kubernetes minor version of the control plane."
  value       = try(regex("^[0-9]+\\.[0-9]+", google_container_cluster.this.master_version), null)
}

output "master_version" {
  description = "Full version of the control plane."
  value       = try(google_container_cluster.this.master_version, null)
}

output "upgraded_by_cloud" {
  description = "Whether GKE upgrades Kubernetes by itself."
  value       = local.channel != "UNSPECIFIED"
}

output "workload_pool" {
  description = "Workload identity pool of the cluster's service accounts."
  value       = try(google_container_cluster.this.workload_identity_config[0].workload_pool, null)
}

output "kms_key" {
  description = "Name of the KMS key that encrypts the cluster's secrets; empty if GKE's own key does."
  value       = local.kms_key == null ? "" : local.kms_key
}

output "node_service_account" {
  description = "Email address of the nodes' service account."
  value       = local.node_account
}

output "node_group_names" {
  description = "Names of the node pools that have at least one GKE node pool."
  value       = sort(distinct([for key in keys(google_container_node_pool.pool) : split("/", key)[0]]))
}

output "ready_nodes" {
  description = "Number of workers in all node pools."
  value       = sum(concat([0], [for pool in google_container_node_pool.pool : try(pool.node_count, 0)]))
}

output "choices" {
  description = "Defaults that were chosen when the cluster and its pools were created. Passed back in as variables, so that later runs do not change them."
  value = {
    # The version that the last upgrade requested. GKE may have installed a later patch version since then.
    requested_version   = try(google_container_cluster.this.min_master_version, null)
    public_access_cidrs = var.kept_defaults.public_access_cidrs
    built_pools         = { for key, pool in google_container_node_pool.pool : key => try(element(split("-", pool.name), -1), "") }
    zones_of_pools      = { for name in distinct([for key in keys(google_container_node_pool.pool) : split("/", key)[0]]) : name => try(local.zones_of[name], []) }
  }
}
