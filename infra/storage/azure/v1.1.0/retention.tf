# A locked policy can neither be removed nor shortened. An unlocked policy can be removed by users with a special permission.
resource "azurerm_storage_container_immutability_policy" "this" {
  for_each                              = toset(try(var.bucket.object_lock, null) == null ? [] : ["bucket"])
  storage_container_resource_manager_id = azurerm_storage_container.this[each.key].id
  immutability_period_in_days           = var.bucket.object_lock.days
  locked                                = var.bucket.object_lock.mode == "COMPLIANCE"
}
