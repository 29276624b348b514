output "resource_id" {
  description = "Name of the bucket, or id of the volume."
  value       = one(concat([for bucket in aws_s3_bucket.this : bucket.id], [for volume in aws_ebs_volume.this : volume.id]))
}

output "arn" {
  description = "ARN of the bucket or the volume."
  value       = one(concat([for bucket in aws_s3_bucket.this : bucket.arn], [for volume in aws_ebs_volume.this : volume.arn]))
}

output "domain_name" {
  description = "Host name of the bucket; empty for a volume."
  value       = try(one([for bucket in aws_s3_bucket.this : bucket.bucket_regional_domain_name]), null) == null ? "" : one([for bucket in aws_s3_bucket.this : bucket.bucket_regional_domain_name])
}
