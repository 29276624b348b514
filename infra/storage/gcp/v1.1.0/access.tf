# Access that the owner of the bucket grants in addition to the grants of the project. Grants by others are left alone.
resource "google_storage_bucket_iam_member" "this" {
  for_each = { for grant in try(var.bucket.grants, []) : "${grant.role} ${grant.member}" => grant }
  bucket   = google_storage_bucket.this["bucket"].name
  role     = each.value.role
  member   = each.value.member
}
