# Each resource carries its Terraform name and key in the `cloudwright:part` tag. If a run is killed, the next run uses this tag
# to find the resources that were left behind. Role assignments have no tags; their description carries the same information.
data "azurerm_client_config" "this" {}

locals {
  owned = {
    "cloudwright:project" = var.owner.project
    "cloudwright:entity"  = var.owner.entity
  }
  tags = merge(var.tags, local.owned)
  uid  = replace(var.owner.entity, "-", "")
  # The last characters of a uid are random, so they make the name unique. Cluster names can have at most 63 characters.
  short = substr(local.uid, max(0, length(local.uid) - 8), -1)
  name  = "${trimsuffix(substr(var.cluster_name, 0, 40), "-")}-${local.short}"

  own_group  = toset(var.resource_group_name == null ? ["made"] : [])
  group_name = var.resource_group_name == null ? one([for group in azurerm_resource_group.this : group.name]) : var.resource_group_name

  is_private = !var.public_access
  # Without ranges, the API server is open to all addresses. If there are ranges, the NAT gateway's addresses are added, because nodes reach
  # the API server through the gateway.
  ranges            = var.public_access ? distinct(concat(var.public_access_cidrs, [for ip in(length(var.public_access_cidrs) > 0 ? var.nat_public_ips : []) : "${ip}/32"])) : []
  is_restricted     = length(local.ranges) > 0 && !contains(local.ranges, "0.0.0.0/0")
  has_access_blocks = local.is_restricted || var.api_server_subnet_id != null

  key_id = var.kms_key.id == null ? one([for key in azurerm_key_vault_key.secrets : key.id]) : var.kms_key.id
  # A private cluster registers the address of its API server in this DNS zone.
  uses_dns_zone = local.is_private && var.private_dns_zone_id != null
  # Once one of these settings has been enabled, AKS returns all of them, even if they are now off. Before that, AKS returns none
  # of them. The block must be present exactly when AKS returns the settings, because every plan would otherwise show a change.
  has_autoscalers = var.kept_defaults.autoscalers || length(setintersection(var.addons, ["keda", "vertical-pod-autoscaler"])) > 0
  os_channels     = { node-image = "NodeImage", security-patch = "SecurityPatch", unmanaged = "Unmanaged", none = "None" }
}

resource "azurerm_resource_group" "this" {
  for_each = local.own_group
  name     = local.name
  location = var.region
  tags     = merge(local.tags, { "cloudwright:part" = "this/${each.key}" })
}

resource "azurerm_kubernetes_cluster" "this" {
  name                       = local.name
  location                   = var.region
  resource_group_name        = local.group_name
  dns_prefix                 = local.uses_dns_zone ? null : local.name
  dns_prefix_private_cluster = local.uses_dns_zone ? local.name : null
  kubernetes_version         = var.cluster_version
  sku_tier                   = title(var.tier)
  support_plan               = var.long_term_support ? "AKSLongTermSupport" : "KubernetesOfficial"

  automatic_upgrade_channel = var.upgrade_channel == "none" ? null : var.upgrade_channel
  node_os_upgrade_channel   = local.os_channels[var.node_os_upgrade_channel]

  private_cluster_enabled             = local.is_private
  private_cluster_public_fqdn_enabled = false
  private_dns_zone_id                 = local.is_private ? coalesce(var.private_dns_zone_id, "System") : null
  # Anyone with access to the cluster's Azure resource could otherwise run commands as a cluster administrator.
  run_command_enabled = false

  local_account_disabled            = !var.local_accounts
  role_based_access_control_enabled = true
  oidc_issuer_enabled               = true
  workload_identity_enabled         = true
  azure_policy_enabled              = contains(var.addons, "azure-policy")
  disk_encryption_set_id            = var.disk_encryption_set_id

  default_node_pool {
    name                         = local.pool_names[var.system_pool]
    temporary_name_for_rotation  = local.spare_names[var.system_pool]
    type                         = "VirtualMachineScaleSets"
    vm_size                      = local.system_pool.instance_type
    auto_scaling_enabled         = local.system_pool.autoscaling
    min_count                    = local.system_pool.autoscaling ? local.system_pool.min : null
    max_count                    = local.system_pool.autoscaling ? local.system_pool.max : null
    node_count                   = local.system_pool.desired
    orchestrator_version         = var.cluster_version
    os_sku                       = local.os_skus[var.system_pool]
    os_disk_type                 = title(local.system_pool.os_disk)
    os_disk_size_gb              = local.system_pool.disk_size_gib
    max_pods                     = local.system_pool.max_pods
    node_labels                  = local.labels[var.system_pool]
    zones                        = length(local.system_pool.zones) > 0 ? local.system_pool.zones : null
    vnet_subnet_id               = var.node_subnet_id
    pod_subnet_id                = var.pod_subnet_id
    host_encryption_enabled      = var.host_encryption
    node_public_ip_enabled       = false
    only_critical_addons_enabled = local.system_pool.only_system_pods
    tags                         = merge(local.tags, local.system_pool.tags, { "cloudwright:part" = "pool/${var.system_pool}" })
    upgrade_settings {
      max_surge                = coalesce(local.system_pool.max_surge, local.default_surge)
      drain_timeout_in_minutes = local.system_pool.drain_timeout_minutes
    }
  }

  node_provisioning_profile {
    mode = "Manual"
  }

  identity {
    type         = "UserAssigned"
    identity_ids = [local.identities["cluster"].id]
  }

  kubelet_identity {
    client_id                 = local.identities["kubelet"].client_id
    object_id                 = local.identities["kubelet"].principal_id
    user_assigned_identity_id = local.identities["kubelet"].id
  }

  network_profile {
    network_plugin      = "azure"
    network_plugin_mode = var.pod_subnet_id == null ? "overlay" : null
    network_data_plane  = "cilium"
    network_policy      = "cilium"
    pod_cidr            = var.pod_subnet_id == null ? var.pod_cidr : null
    service_cidr        = var.service_cidr
    dns_service_ip      = cidrhost(var.service_cidr, 10)
    load_balancer_sku   = "standard"
    outbound_type       = var.outbound_type
  }

  dynamic "api_server_access_profile" {
    for_each = local.has_access_blocks ? ["made"] : []
    content {
      authorized_ip_ranges                = local.is_restricted ? local.ranges : null
      virtual_network_integration_enabled = var.api_server_subnet_id != null
      subnet_id                           = var.api_server_subnet_id
    }
  }

  key_management_service {
    key_vault_key_id         = local.key_id
    key_vault_network_access = "Public"
  }

  dynamic "azure_active_directory_role_based_access_control" {
    for_each = var.entra == null ? [] : [var.entra]
    content {
      azure_rbac_enabled     = true
      tenant_id              = data.azurerm_client_config.this.tenant_id
      admin_group_object_ids = azure_active_directory_role_based_access_control.value.admin_group_ids
    }
  }

  dynamic "maintenance_window_auto_upgrade" {
    for_each = var.maintenance_window == null ? [] : [var.maintenance_window]
    content {
      frequency   = "Weekly"
      interval    = 1
      day_of_week = title(maintenance_window_auto_upgrade.value.day)
      start_time  = maintenance_window_auto_upgrade.value.start
      duration    = maintenance_window_auto_upgrade.value.hours
      utc_offset  = "+00:00"
    }
  }

  dynamic "maintenance_window_node_os" {
    for_each = var.maintenance_window == null ? [] : [var.maintenance_window]
    content {
      frequency   = "Weekly"
      interval    = 1
      day_of_week = title(maintenance_window_node_os.value.day)
      start_time  = maintenance_window_node_os.value.start
      duration    = maintenance_window_node_os.value.hours
      utc_offset  = "+00:00"
    }
  }

  storage_profile {
    blob_driver_enabled         = contains(var.addons, "blob-csi-driver")
    disk_driver_enabled         = true
    file_driver_enabled         = true
    snapshot_controller_enabled = true
  }

  dynamic "oms_agent" {
    for_each = var.log_analytics_workspace_id == null ? [] : [var.log_analytics_workspace_id]
    content {
      log_analytics_workspace_id      = oms_agent.value
      msi_auth_for_monitoring_enabled = true
    }
  }

  dynamic "monitor_metrics" {
    for_each = var.managed_prometheus ? ["made"] : []
    content {
    }
  }

  dynamic "web_app_routing" {
    for_each = contains(var.addons, "app-routing") ? ["made"] : []
    content {
      dns_zone_ids = []
    }
  }

  dynamic "key_vault_secrets_provider" {
    for_each = contains(var.addons, "key-vault-secrets-provider") ? ["made"] : []
    content {
      secret_rotation_enabled = true
    }
  }

  dynamic "workload_autoscaler_profile" {
    for_each = local.has_autoscalers ? ["made"] : []
    content {
      keda_enabled                    = contains(var.addons, "keda")
      vertical_pod_autoscaler_enabled = contains(var.addons, "vertical-pod-autoscaler")
    }
  }

  tags = merge(local.tags, { "cloudwright:part" = "this" })
  # AKS needs these roles and the key until the cluster is deleted.
  depends_on = [azurerm_role_assignment.cluster, azurerm_role_assignment.kubelet, azurerm_key_vault.secrets]
  lifecycle {
    precondition {
      condition     = contains(keys(var.node_pools), var.system_pool)
      error_message = "The pool ${var.system_pool} is missing. AKS requires a pool for system pods."
    }
  }
}
