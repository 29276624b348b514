locals {
  # AKS pool names consist of at most 12 lower-case letters and digits. A name that does not fit is shortened, and a part of its hash is
  # appended.
  pool_names = { for name in keys(var.node_pools) : name => can(regex("^[a-z][a-z0-9]{0,11}$", name)) ? name : "${substr(replace(name, "-", ""), 0, 7)}${substr(sha1(name), 0, 5)}" }
  # To change a pool's machines, the provider creates a temporary pool with this name, moves the pods there and recreates the original pool.
  spare_names   = { for name in keys(var.node_pools) : name => "t${substr(sha1(name), 0, 8)}" }
  has_gpu       = { for name, pool in var.node_pools : name => can(regex("^Standard_N[CDGV]", pool.instance_type)) }
  systems       = { azure-linux = "AzureLinux", ubuntu = "Ubuntu" }
  os_skus       = { for name, pool in var.node_pools : name => local.systems[coalesce(pool.os, local.has_gpu[name] ? "ubuntu" : "azure-linux")] }
  default_surge = "33%"
  system_pool   = var.node_pools[var.system_pool]
  spot          = "kubernetes.azure.com/scalesetpriority"
  # AKS adds this label and this taint to spot pools and returns them. They are declared here so that plans show no difference.
  labels = { for name, pool in var.node_pools : name => merge(pool.labels, pool.capacity == "spot" ? { (local.spot) = "spot" } : {}) }
  taints = { for name, pool in var.node_pools : name => concat(
    [for taint in pool.taints : "${taint.key}${taint.value == null ? "" : "=${taint.value}"}:${taint.effect}"],
    pool.capacity == "spot" ? ["${local.spot}=spot:NoSchedule"] : [],
  ) }
}

resource "azurerm_kubernetes_cluster_node_pool" "pool" {
  for_each                    = { for name, pool in var.node_pools : name => pool if name != var.system_pool }
  name                        = local.pool_names[each.key]
  temporary_name_for_rotation = local.spare_names[each.key]
  kubernetes_cluster_id       = azurerm_kubernetes_cluster.this.id
  mode                        = each.value.system ? "System" : "User"
  vm_size                     = each.value.instance_type
  auto_scaling_enabled        = each.value.autoscaling
  min_count                   = each.value.autoscaling ? each.value.min : null
  max_count                   = each.value.autoscaling ? each.value.max : null
  node_count                  = each.value.desired
  # Nodes must not be newer than the control plane. This reference makes pools wait until the control plane has been upgraded.
  orchestrator_version    = azurerm_kubernetes_cluster.this.kubernetes_version
  os_type                 = "Linux"
  os_sku                  = local.os_skus[each.key]
  os_disk_type            = title(each.value.os_disk)
  os_disk_size_gb         = each.value.disk_size_gib
  max_pods                = each.value.max_pods
  node_labels             = local.labels[each.key]
  node_taints             = local.taints[each.key]
  zones                   = length(each.value.zones) > 0 ? each.value.zones : null
  vnet_subnet_id          = var.node_subnet_id
  pod_subnet_id           = var.pod_subnet_id
  host_encryption_enabled = var.host_encryption
  node_public_ip_enabled  = false
  priority                = each.value.capacity == "spot" ? "Spot" : "Regular"
  eviction_policy         = each.value.capacity == "spot" ? "Delete" : null
  spot_max_price          = each.value.capacity == "spot" ? each.value.spot_max_price : null
  tags                    = merge(local.tags, each.value.tags, { "cloudwright:part" = "pool/${each.key}" })
  # AKS adds no surge nodes when it upgrades spot pools.
  dynamic "upgrade_settings" {
    for_each = each.value.capacity == "spot" ? [] : [each.value]
    content {
      max_surge                = coalesce(upgrade_settings.value.max_surge, local.default_surge)
      drain_timeout_in_minutes = upgrade_settings.value.drain_timeout_minutes
    }
  }
}
