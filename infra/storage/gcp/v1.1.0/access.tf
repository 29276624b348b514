# Bucket access that the spec grants in addition to the project's IAM policy. Grants made by others are left unchanged.
resource "google_storage_bucket_iam_member" "this" {
  for_each = { for grant in try(var.bucket.grants, []) : "${grant.role} ${grant.member}" => grant }
  bucket   = google_storage_bucket.this["bucket"].name
  role     = each.value.role
  member   = each.value.member
}
