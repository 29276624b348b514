locals {
  # `expire_after_days` is a shorthand for this rule.
  expiring = try(var.bucket.expire_after_days, 0) > 0 ? [{
    id                           = "expire"
    prefix                       = ""
    expire_after_days            = var.bucket.expire_after_days
    expire_noncurrent_after_days = var.bucket.expire_after_days
    abort_uploads_after_days     = 0
    transitions                  = []
  }] : []
  # Parts of uploads that were never completed are invisible, but cost as much as objects.
  aborting = try(var.bucket.abort_uploads_after_days, 0) > 0 ? [{
    id                           = "abort-uploads"
    prefix                       = ""
    expire_after_days            = 0
    expire_noncurrent_after_days = 0
    abort_uploads_after_days     = var.bucket.abort_uploads_after_days
    transitions                  = []
  }] : []
  rules = concat(local.expiring, local.aborting, try(var.bucket.lifecycle_rules, []))
}

resource "aws_s3_bucket_lifecycle_configuration" "this" {
  for_each = toset(length(local.rules) > 0 ? ["bucket"] : [])
  bucket   = aws_s3_bucket.this[each.key].id
  dynamic "rule" {
    for_each = local.rules
    content {
      id     = rule.value.id
      status = "Enabled"
      filter {
        prefix = rule.value.prefix == "" ? null : rule.value.prefix
      }
      dynamic "expiration" {
        for_each = rule.value.expire_after_days > 0 ? [rule.value.expire_after_days] : []
        content {
          days = expiration.value
        }
      }
      dynamic "noncurrent_version_expiration" {
        for_each = rule.value.expire_noncurrent_after_days > 0 ? [rule.value.expire_noncurrent_after_days] : []
        content {
          noncurrent_days = noncurrent_version_expiration.value
        }
      }
      dynamic "abort_incomplete_multipart_upload" {
        for_each = rule.value.abort_uploads_after_days > 0 ? [rule.value.abort_uploads_after_days] : []
        content {
          days_after_initiation = abort_incomplete_multipart_upload.value
        }
      }
      dynamic "transition" {
        for_each = rule.value.transitions
        content {
          days          = transition.value.after_days
          storage_class = transition.value.storage_class
        }
      }
    }
  }
  depends_on = [aws_s3_bucket_versioning.this]
}
