variable "name" {
  description = "Name of the storage. The bucket name consists of it and a part of the owner's uid."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.name))
    error_message = "The name must start with a letter and consist of at most 63 lower-case letters, digits and hyphens."
  }
}

variable "region" {
  description = "Region of the storage."
  type        = string
  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "The region must look like eu-west-1."
  }
}

variable "bucket" {
  description = "Settings of an object bucket; set either bucket or volume."
  type = object({
    versioning        = optional(bool, false)
    expire_after_days = optional(number, 0)
    # Allows deleting a bucket that still contains objects.
    force_destroy = optional(bool, false)
    # ARN of a customer-managed key. If omitted, S3 uses its own key.
    kms_key_arn = optional(string)
    lifecycle_rules = optional(list(object({
      id                           = string
      prefix                       = optional(string, "")
      expire_after_days            = optional(number, 0)
      expire_noncurrent_after_days = optional(number, 0)
      abort_uploads_after_days     = optional(number, 0)
      transitions = optional(list(object({
        after_days    = number
        storage_class = string
      })), [])
    })), [])
    # Days after which incomplete multipart uploads are deleted; 0 keeps them.
    abort_uploads_after_days = optional(number, 0)
    # Default retention of new object versions.
    object_lock = optional(object({
      mode = string
      days = number
    }))
    # Statements of the bucket policy in JSON, in addition to the one that requires TLS.
    policy_statements = optional(list(string), [])
    replication = optional(object({
      bucket_arn    = string
      prefix        = optional(string, "")
      storage_class = optional(string)
      # Key for the replicas. If omitted, S3 does not replicate objects that are encrypted with a customer-managed key.
      kms_key_arn = optional(string)
    }))
  })
  default = null
  validation {
    condition     = var.bucket == null || try(var.bucket.expire_after_days >= 0 && floor(var.bucket.expire_after_days) == var.bucket.expire_after_days, false)
    error_message = "expire_after_days must be a whole number of days; 0 keeps objects forever."
  }
  validation {
    condition     = try(var.bucket.kms_key_arn, null) == null || can(regex("^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:(key|alias)/.+$", var.bucket.kms_key_arn))
    error_message = "The key must be an ARN."
  }
  validation {
    condition     = alltrue([for rule in try(var.bucket.lifecycle_rules, []) : min(rule.expire_after_days, rule.expire_noncurrent_after_days, rule.abort_uploads_after_days) >= 0 && (rule.expire_after_days + rule.expire_noncurrent_after_days + rule.abort_uploads_after_days > 0 || length(rule.transitions) > 0)])
    error_message = "Each lifecycle rule must set at least one action and its number of days."
  }
  validation {
    condition     = alltrue(flatten([for rule in try(var.bucket.lifecycle_rules, []) : [for days in concat([rule.expire_after_days, rule.expire_noncurrent_after_days, rule.abort_uploads_after_days], rule.transitions[*].after_days) : floor(days) == days]]))
    error_message = "Lifecycle rules must use whole numbers of days."
  }
  validation {
    condition     = alltrue(flatten([for rule in try(var.bucket.lifecycle_rules, []) : [for move in rule.transitions : contains(["STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"], move.storage_class) && move.after_days >= 0]]))
    error_message = "Objects can move to STANDARD_IA, ONEZONE_IA, INTELLIGENT_TIERING, GLACIER_IR, GLACIER or DEEP_ARCHIVE."
  }
  validation {
    condition     = alltrue([for rule in try(var.bucket.lifecycle_rules, []) : length(rule.id) >= 1 && length(rule.id) <= 255]) && length(distinct([for rule in try(var.bucket.lifecycle_rules, []) : rule.id])) == length(try(var.bucket.lifecycle_rules, [])) && length(setintersection([for rule in try(var.bucket.lifecycle_rules, []) : rule.id], ["expire", "abort-uploads"])) == 0
    error_message = "Ids of lifecycle rules must be unique and have 1 to 255 characters; the ids expire and abort-uploads are reserved."
  }
  validation {
    condition     = var.bucket == null || try(var.bucket.abort_uploads_after_days >= 0 && floor(var.bucket.abort_uploads_after_days) == var.bucket.abort_uploads_after_days, false)
    error_message = "abort_uploads_after_days must be a whole number of days; 0 keeps incomplete uploads."
  }
  validation {
    condition     = try(var.bucket.object_lock, null) == null || try(var.bucket.versioning && contains(["GOVERNANCE", "COMPLIANCE"], var.bucket.object_lock.mode) && var.bucket.object_lock.days >= 1 && var.bucket.object_lock.days <= 36500 && floor(var.bucket.object_lock.days) == var.bucket.object_lock.days, false)
    error_message = "Object lock requires versioning, the mode GOVERNANCE or COMPLIANCE, and a whole number of days between 1 and 36500."
  }
  validation {
    condition     = alltrue([for statement in try(var.bucket.policy_statements, []) : try(contains(["Allow", "Deny"], jsondecode(statement).Effect) && try(jsondecode(statement).Sid, "") != "OnlyTls", false)])
    error_message = "Policy statements must be JSON objects with an Effect of Allow or Deny; the Sid OnlyTls is reserved."
  }
  validation {
    condition     = alltrue(flatten([for rule in try(var.bucket.lifecycle_rules, []) : [for move in rule.transitions : (move.after_days >= 30 || !contains(["STANDARD_IA", "ONEZONE_IA"], move.storage_class)) && (rule.expire_after_days == 0 || move.after_days < rule.expire_after_days)]]))
    error_message = "Objects can move to STANDARD_IA and ONEZONE_IA after 30 days at the earliest, and must move before they expire."
  }
  validation {
    condition     = try(var.bucket.replication, null) == null || (try(var.bucket.kms_key_arn, null) == null) == (try(var.bucket.replication.kms_key_arn, null) == null)
    error_message = "Set replication.kms_key_arn if, and only if, the bucket has a kms_key_arn."
  }
  validation {
    condition     = try(var.bucket.replication.kms_key_arn, null) == null || alltrue([for key in [try(var.bucket.kms_key_arn, ""), try(var.bucket.replication.kms_key_arn, "")] : can(regex("^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/.+$", key))])
    error_message = "Replication requires the key ARN of both keys; ARNs of aliases are not accepted."
  }
  validation {
    condition     = try(var.bucket.replication, null) == null || try(var.bucket.versioning && can(regex("^arn:aws[a-z-]*:s3:::[a-z0-9][a-z0-9.-]+$", var.bucket.replication.bucket_arn)), false)
    error_message = "Replication requires versioning and the ARN of the target bucket."
  }
  validation {
    condition     = try(var.bucket.replication.storage_class, null) == null || try(contains(["STANDARD", "STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE", "REDUCED_REDUNDANCY"], var.bucket.replication.storage_class), false)
    error_message = "The storage class of replicas must be STANDARD, STANDARD_IA, ONEZONE_IA, INTELLIGENT_TIERING, GLACIER_IR, GLACIER or DEEP_ARCHIVE."
  }
}

variable "volume" {
  description = "Settings of a block volume in one zone; set either bucket or volume."
  type = object({
    zone        = string
    size_gib    = number
    type        = optional(string, "gp3")
    iops        = optional(number)
    throughput  = optional(number)
    kms_key_arn = optional(string)
    # Creates a snapshot when the volume is deleted.
    final_snapshot = optional(bool, false)
  })
  default = null
  validation {
    condition     = var.volume == null || try(var.volume.size_gib >= 1 && var.volume.size_gib <= 65536 && floor(var.volume.size_gib) == var.volume.size_gib, false)
    error_message = "The volume size must be a whole number of GiB between 1 and 65536."
  }
  validation {
    condition     = var.volume == null || try(contains(["gp3", "gp2", "io1", "io2", "st1", "sc1", "standard"], var.volume.type), false)
    error_message = "The volume type must be gp3, gp2, io1, io2, st1, sc1 or standard."
  }
  validation {
    condition     = var.volume == null || can(regex("^${var.region}([a-z]|-[a-z0-9-]+)$", var.volume.zone))
    error_message = "The volume's zone must be in its region, for example eu-west-1a."
  }
  validation {
    condition     = try(var.volume.kms_key_arn, null) == null || can(regex("^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:(key|alias)/.+$", var.volume.kms_key_arn))
    error_message = "The key must be an ARN."
  }
  validation {
    condition     = (var.volume == null) != (var.bucket == null)
    error_message = "Set exactly one of bucket and volume."
  }
  validation {
    condition     = try(var.volume.throughput, null) == null || try(var.volume.type == "gp3", false)
    error_message = "Throughput can be set only for volumes of type gp3."
  }
  validation {
    condition     = try(var.volume.iops, null) == null || try(contains(["gp3", "io1", "io2"], var.volume.type), false)
    error_message = "IOPS can be set only for volumes of type gp3, io1 or io2."
  }
  validation {
    condition     = !try(contains(["io1", "io2"], var.volume.type), false) || try(var.volume.iops, null) != null
    error_message = "Volumes of type io1 and io2 require IOPS."
  }
}

variable "owner" {
  description = "Entity that owns the resources. Each resource carries it as tags and is found by them."
  type = object({
    project = string
    entity  = string
  })
  validation {
    condition     = length(replace(var.owner.entity, "-", "")) >= 4
    error_message = "The owner's uid is too short for unique resource names."
  }
}

variable "tags" {
  description = "Additional tags for all resources."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    # AWS allows 50 tags, and the platform sets some of them.
    condition     = length(var.tags) <= 40 && alltrue([for key, value in var.tags : length(key) >= 1 && length(key) <= 128 && length(coalesce(value, "-")) <= 256])
    error_message = "At most 40 tags are allowed, with keys of up to 128 and values of up to 256 characters."
  }
  validation {
    condition     = alltrue([for key in keys(var.tags) : !startswith(key, "cloudwright:") && !startswith(key, "aws:")])
    error_message = "Tag keys must not start with cloudwright: or aws:, which are reserved."
  }
}
