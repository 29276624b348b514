output "cluster_name" {
  description = "Name of the cluster in Azure."
  value       = try(azurerm_kubernetes_cluster.this.name, null)
}

output "cluster_id" {
  description = "Id of the cluster."
  value       = try(azurerm_kubernetes_cluster.this.id, null)
}

output "region" {
  description = "Region of the cluster."
  value       = var.region
}

output "resource_group_name" {
  description = "Resource group of the cluster."
  value       = local.group_name
}

output "node_resource_group" {
  description = "Resource group that AKS manages for nodes, load balancers and disks."
  value       = try(azurerm_kubernetes_cluster.this.node_resource_group, null)
}

output "worker_subnet_ids" {
  description = "Ids of the subnets that workers are placed in."
  value       = [var.node_subnet_id]
}

output "endpoint" {
  description = "URL of the API server."
  value       = try(nonsensitive(azurerm_kubernetes_cluster.this.kube_config[0].host), null)
}

output "certificate_authority" {
  description = "CA certificate of the API server, as base64-encoded PEM."
  value       = try(nonsensitive(azurerm_kubernetes_cluster.this.kube_config[0].cluster_ca_certificate), null)
}

output "version" {
  description = "Kubernetes minor version of the control plane."
  # Right after an upgrade, current_kubernetes_version still contains the old version, because the provider does not read it again until the
  # next run.
  value = try("1.${max([for version in [azurerm_kubernetes_cluster.this.kubernetes_version, azurerm_kubernetes_cluster.this.current_kubernetes_version] : tonumber(split(".", version)[1])]...)}", null)
}

output "upgraded_by_cloud" {
  description = "Whether AKS upgrades Kubernetes by itself."
  value       = contains(["patch", "stable", "rapid"], var.upgrade_channel)
}

output "oidc_issuer" {
  description = "URL of the OIDC issuer of the cluster's service account tokens."
  value       = try(azurerm_kubernetes_cluster.this.oidc_issuer_url, null)
}

output "key_vault_key_id" {
  description = "Id of the Key Vault key that encrypts the cluster's secrets."
  value       = local.key_id
}

output "cluster_identity_id" {
  description = "Id of the control plane's identity."
  value       = try(local.identities["cluster"].id, null)
}

output "kubelet_identity_id" {
  description = "Id of the nodes' identity."
  value       = try(local.identities["kubelet"].id, null)
}

output "has_entra" {
  description = "Whether users sign in with Microsoft Entra ID."
  value       = var.entra != null
}

output "pod_cidr" {
  description = "Address range of pods; empty if pods have addresses of the network."
  value       = var.pod_subnet_id == null ? var.pod_cidr : ""
}

output "service_cidr" {
  description = "Address range of services."
  value       = var.service_cidr
}

output "addon_versions" {
  description = "Add-ons that AKS manages, by name. AKS chooses their versions and does not report them."
  value       = { for name in var.addons : name => "aks" }
}

output "node_group_names" {
  description = "Names of the node pools."
  value       = try(azurerm_kubernetes_cluster.this.name, null) == null ? [] : sort(concat([var.system_pool], keys(azurerm_kubernetes_cluster_node_pool.pool)))
}

output "ready_nodes" {
  description = "Number of workers in all node pools."
  value       = sum(concat([0], try([azurerm_kubernetes_cluster.this.default_node_pool[0].node_count], []), [for pool in azurerm_kubernetes_cluster_node_pool.pool : pool.node_count]))
}

output "choices" {
  description = "Defaults that were chosen when the cluster and its pools were created. Passed back in as variables, so that later versions of the platform do not change them."
  value = {
    since               = var.kept_defaults.since
    public_access_cidrs = var.kept_defaults.public_access_cidrs
    autoscalers         = local.has_autoscalers
    zones               = { for name, pool in var.node_pools : name => sort(pool.zones) }
  }
}
