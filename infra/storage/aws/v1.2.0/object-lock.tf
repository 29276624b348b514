# Object lock can be turned on for an existing bucket, but never off. Deleting this resource ends only the default retention.
resource "aws_s3_bucket_object_lock_configuration" "this" {
  for_each            = toset(try(var.bucket.object_lock, null) == null ? [] : ["bucket"])
  bucket              = aws_s3_bucket.this[each.key].id
  object_lock_enabled = "Enabled"
  rule {
    default_retention {
      mode = var.bucket.object_lock.mode
      days = var.bucket.object_lock.days
    }
  }
  # S3 rejects a lock on a bucket without versioning.
  depends_on = [aws_s3_bucket_versioning.this]
}
