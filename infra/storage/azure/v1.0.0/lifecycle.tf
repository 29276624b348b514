locals {
  expiry = { id = "expire", prefix = "", expire_after_days = try(var.bucket.expire_after_days, 0), expire_noncurrent_after_days = 0, transitions = [] }
  rules  = [for rule in concat([local.expiry], try(var.bucket.lifecycle_rules, [])) : rule if rule.expire_after_days + rule.expire_noncurrent_after_days > 0 || length(rule.transitions) > 0]
  # Number of days after which each rule moves objects to each storage class. -1 means never.
  tiers = { for rule in local.rules : rule.id => { for tier in ["Cool", "Cold", "Archive"] : tier => try([for move in rule.transitions : move.after_days if move.storage_class == tier][0], -1) } }
}

resource "azurerm_storage_management_policy" "this" {
  for_each           = toset(length(local.rules) == 0 ? [] : local.buckets)
  storage_account_id = azurerm_storage_account.this[each.key].id
  dynamic "rule" {
    for_each = local.rules
    content {
      name    = rule.value.id
      enabled = true
      filters {
        blob_types   = ["blockBlob"]
        prefix_match = ["${azurerm_storage_container.this[each.key].name}/${rule.value.prefix}"]
      }
      actions {
        dynamic "base_blob" {
          for_each = toset(rule.value.expire_after_days > 0 || length(rule.value.transitions) > 0 ? ["current"] : [])
          content {
            delete_after_days_since_modification_greater_than          = rule.value.expire_after_days > 0 ? rule.value.expire_after_days : null
            tier_to_cool_after_days_since_modification_greater_than    = local.tiers[rule.value.id]["Cool"] < 0 ? null : local.tiers[rule.value.id]["Cool"]
            tier_to_cold_after_days_since_modification_greater_than    = local.tiers[rule.value.id]["Cold"] < 0 ? null : local.tiers[rule.value.id]["Cold"]
            tier_to_archive_after_days_since_modification_greater_than = local.tiers[rule.value.id]["Archive"] < 0 ? null : local.tiers[rule.value.id]["Archive"]
          }
        }
        dynamic "version" {
          for_each = toset(rule.value.expire_noncurrent_after_days > 0 ? ["noncurrent"] : [])
          content {
            delete_after_days_since_creation = rule.value.expire_noncurrent_after_days
          }
        }
      }
    }
  }
}
