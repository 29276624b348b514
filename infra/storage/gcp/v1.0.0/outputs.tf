output "resource_id" {
  description = "Name of the bucket or id of the disk."
  value       = one(concat([for bucket in google_storage_bucket.this : bucket.name], [for disk in google_compute_disk.this : disk.id]))
}

output "domain_name" {
  description = "Host name of the bucket; empty for a disk."
  value       = try(coalesce(one([for bucket in google_storage_bucket.this : "${bucket.name}.storage.googleapis.com"])), "")
}

output "locked_retention_days" {
  description = "Days of the bucket's locked retention policy, which can neither be shortened nor removed; 0 if there is none."
  value       = sum(concat([0], [for bucket in google_storage_bucket.this : try(bucket.retention_policy[0].is_locked ? tonumber(bucket.retention_policy[0].retention_period) / 86400 : 0, 0)]))
}
