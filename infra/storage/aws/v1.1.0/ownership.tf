# Whoever writes an object, it belongs to the bucket's owner, and access lists of single objects count for nothing.
resource "aws_s3_bucket_ownership_controls" "this" {
  for_each = local.buckets
  bucket   = aws_s3_bucket.this[each.key].id
  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}
