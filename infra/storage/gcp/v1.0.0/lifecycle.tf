locals {
  # `expire_after_days` is a shorthand for this rule.
  expiring = try(var.bucket.expire_after_days, 0) > 0 ? [{
    prefix                       = ""
    expire_after_days            = var.bucket.expire_after_days
    expire_noncurrent_after_days = var.bucket.expire_after_days
    abort_uploads_after_days     = 0
    transitions                  = []
  }] : []
  asked = concat(local.expiring, try(var.bucket.lifecycle_rules, []))
  # A Cloud Storage rule has only one action, so one rule in the spec can become several rules in Cloud Storage.
  rules = concat(
    [for rule in local.asked : { action = "Delete", storage_class = null, age = rule.expire_after_days, noncurrent_days = null, state = "LIVE", prefixes = compact([rule.prefix]) } if rule.expire_after_days > 0],
    [for rule in local.asked : { action = "Delete", storage_class = null, age = null, noncurrent_days = rule.expire_noncurrent_after_days, state = "ARCHIVED", prefixes = compact([rule.prefix]) } if rule.expire_noncurrent_after_days > 0],
    [for rule in local.asked : { action = "AbortIncompleteMultipartUpload", storage_class = null, age = rule.abort_uploads_after_days, noncurrent_days = null, state = null, prefixes = compact([rule.prefix]) } if rule.abort_uploads_after_days > 0],
    flatten([for rule in local.asked : [for move in rule.transitions : { action = "SetStorageClass", storage_class = move.storage_class, age = move.after_days, noncurrent_days = null, state = "LIVE", prefixes = compact([rule.prefix]) }]]),
  )
}
