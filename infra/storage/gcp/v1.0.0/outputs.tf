output "resource_id" {
  description = "Name of the bucket or id of the disk."
  value       = one(concat([for bucket in google_storage_bucket.this : bucket.name], [for disk in google_compute_disk.this : disk.id]))
}

output "domain_name" {
  description = "Host name of the bucket; empty for a disk."
  value       = try(coalesce(one([for bucket in google_storage_bucket.this : "${bucket.name}.storage.googleapis.com"])), "")
}
