# Each resource carries its Terraform name and key in the `cloudwright:part` tag. If a run is killed, the next run uses this tag
# to find the resources that were left behind. Containers and policies have no tags and are found through their storage account.
locals {
  tags = merge(var.tags, {
    "cloudwright:project" = var.owner.project
    "cloudwright:entity"  = var.owner.entity
  })
  uid   = replace(var.owner.entity, "-", "")
  short = substr(local.uid, max(0, length(local.uid) - 8), -1)
  base  = "${trimsuffix(substr(var.name, 0, 50), "-")}-${local.short}"
  # Storage account names must be globally unique and consist of at most 24 letters and digits. The last characters of a uid are
  # random, so they make the name unique.
  account_name = "${substr(replace(var.name, "-", ""), 0, 12)}${substr(local.uid, max(0, length(local.uid) - 12), -1)}"
  buckets      = toset(var.bucket == null ? [] : ["bucket"])
  volumes      = toset(var.volume == null ? [] : ["volume"])
  keyed        = toset(try(var.bucket.key_id, null) == null ? [] : ["bucket"])
  kinds        = toset(concat(tolist(local.buckets), tolist(local.volumes)))
  grouped      = toset(var.resource_group_name == null ? local.kinds : [])
  group        = var.resource_group_name == null ? one([for group in azurerm_resource_group.this : group.name]) : var.resource_group_name
  redundancy   = { local = "LRS", zone = "ZRS", geo = "GRS", geo-zone = "GZRS" }
}

resource "azurerm_resource_group" "this" {
  for_each = local.grouped
  name     = local.base
  location = var.region
  tags     = merge(local.tags, { "cloudwright:part" = "this/${each.key}" })
}

resource "azurerm_storage_account" "this" {
  for_each                 = local.buckets
  name                     = local.account_name
  location                 = var.region
  resource_group_name      = local.group
  account_kind             = "StorageV2"
  account_tier             = "Standard"
  account_replication_type = local.redundancy[var.bucket.redundancy]

  https_traffic_only_enabled       = true
  min_tls_version                  = "TLS1_2"
  allow_nested_items_to_be_public  = false
  cross_tenant_replication_enabled = false
  default_to_oauth_authentication  = true
  local_user_enabled               = false
  shared_access_key_enabled        = var.bucket.shared_keys

  blob_properties {
    versioning_enabled = var.bucket.versioning
    dynamic "delete_retention_policy" {
      for_each = toset(var.bucket.soft_delete_days > 0 ? ["objects"] : [])
      content {
        days = var.bucket.soft_delete_days
      }
    }
  }
  # Azure logs requests with shared access signatures that are valid for longer than this.
  sas_policy {
    expiration_action = "Log"
    expiration_period = "07.00:00:00"
  }

  dynamic "identity" {
    for_each = local.keyed
    content {
      type         = "UserAssigned"
      identity_ids = [azurerm_user_assigned_identity.key[identity.key].id]
    }
  }
  dynamic "customer_managed_key" {
    for_each = local.keyed
    content {
      # The key's id contains no version, so that Azure uses the newest version after the key is rotated.
      key_vault_key_id          = "https://${split("/", var.bucket.key_id)[8]}.vault.azure.net/keys/${split("/", var.bucket.key_id)[10]}"
      user_assigned_identity_id = azurerm_user_assigned_identity.key[customer_managed_key.key].id
    }
  }
  tags       = merge(local.tags, { "cloudwright:part" = "this/${each.key}" })
  depends_on = [azurerm_role_assignment.key]
}

resource "azurerm_storage_container" "this" {
  for_each              = local.buckets
  name                  = "objects"
  storage_account_id    = azurerm_storage_account.this[each.key].id
  container_access_type = "private"
}

resource "azurerm_managed_disk" "this" {
  for_each               = local.volumes
  name                   = local.base
  location               = var.region
  resource_group_name    = local.group
  zone                   = var.volume.zone
  create_option          = "Empty"
  disk_size_gb           = var.volume.size_gib
  storage_account_type   = var.volume.type
  disk_iops_read_write   = var.volume.iops
  disk_mbps_read_write   = var.volume.throughput
  disk_encryption_set_id = var.volume.disk_encryption_set_id
  # If exports are not allowed, nobody can download the disk through a signed URL.
  network_access_policy         = var.volume.exports ? "AllowAll" : "DenyAll"
  public_network_access_enabled = var.volume.exports
  tags                          = merge(local.tags, { "cloudwright:part" = "this/${each.key}" })
}
