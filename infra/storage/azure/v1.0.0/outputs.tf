output "resource_id" {
  description = "Id of the container or the disk."
  value       = one(concat([for container in azurerm_storage_container.this : container.id], [for disk in azurerm_managed_disk.this : disk.id]))
}

output "domain_name" {
  description = "Host name of the storage account; empty for a disk."
  value       = join("", [for account in azurerm_storage_account.this : account.primary_blob_host])
}

output "resource_group_name" {
  description = "Resource group of the storage."
  value       = coalesce(local.group, local.base)
}

output "storage_account_name" {
  description = "Name of the storage account; empty for a disk."
  value       = join("", [for account in azurerm_storage_account.this : account.name])
}
