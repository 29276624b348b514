variable "name" {
  description = "Name of the storage; a bucket carries it, followed by a part of the owner's uid."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.name))
    error_message = "The name has lower-case letters, digits and hyphens, at most 63."
  }
}

variable "region" {
  description = "Region of the storage."
  type        = string
  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "The region is written as eu-west-1."
  }
}

variable "bucket" {
  description = "A bucket for objects."
  type = object({
    versioning        = optional(bool, false)
    expire_after_days = optional(number, 0)
    # A bucket with objects can only be deleted if it may be emptied.
    force_destroy = optional(bool, false)
    # The ARN of a customer-managed key. Without it S3 uses its own key.
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
    replication = optional(object({
      bucket_arn    = string
      prefix        = optional(string, "")
      storage_class = optional(string)
      # The key for the copies. Without it S3 does not replicate objects that are encrypted with a customer-managed key.
      kms_key_arn = optional(string)
    }))
  })
  default = null
  validation {
    condition     = var.bucket == null || try(var.bucket.expire_after_days >= 0 && floor(var.bucket.expire_after_days) == var.bucket.expire_after_days, false)
    error_message = "Objects expire after a whole number of days; 0 keeps them."
  }
  validation {
    condition     = try(var.bucket.kms_key_arn, null) == null || can(regex("^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:(key|alias)/.+$", var.bucket.kms_key_arn))
    error_message = "The key is named by its ARN."
  }
  validation {
    condition     = alltrue([for rule in try(var.bucket.lifecycle_rules, []) : min(rule.expire_after_days, rule.expire_noncurrent_after_days, rule.abort_uploads_after_days) >= 0 && (rule.expire_after_days + rule.expire_noncurrent_after_days + rule.abort_uploads_after_days > 0 || length(rule.transitions) > 0)])
    error_message = "Each rule of the life cycle says what happens after how many days."
  }
  validation {
    condition     = alltrue(flatten([for rule in try(var.bucket.lifecycle_rules, []) : [for days in concat([rule.expire_after_days, rule.expire_noncurrent_after_days, rule.abort_uploads_after_days], rule.transitions[*].after_days) : floor(days) == days]]))
    error_message = "Days of the life cycle are whole numbers."
  }
  validation {
    condition     = alltrue(flatten([for rule in try(var.bucket.lifecycle_rules, []) : [for move in rule.transitions : contains(["STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"], move.storage_class) && move.after_days >= 0]]))
    error_message = "Objects move to STANDARD_IA, ONEZONE_IA, INTELLIGENT_TIERING, GLACIER_IR, GLACIER or DEEP_ARCHIVE."
  }
  validation {
    condition     = alltrue([for rule in try(var.bucket.lifecycle_rules, []) : length(rule.id) >= 1 && length(rule.id) <= 255]) && length(distinct([for rule in try(var.bucket.lifecycle_rules, []) : rule.id])) == length(try(var.bucket.lifecycle_rules, [])) && !contains([for rule in try(var.bucket.lifecycle_rules, []) : rule.id], "expire")
    error_message = "Rules of the life cycle have different ids of 1 to 255 characters; the id expire is that of expire_after_days."
  }
  validation {
    condition     = alltrue(flatten([for rule in try(var.bucket.lifecycle_rules, []) : [for move in rule.transitions : (move.after_days >= 30 || !contains(["STANDARD_IA", "ONEZONE_IA"], move.storage_class)) && (rule.expire_after_days == 0 || move.after_days < rule.expire_after_days)]]))
    error_message = "Objects move to STANDARD_IA and ONEZONE_IA after 30 days at the earliest, and move before they expire."
  }
  validation {
    condition     = try(var.bucket.replication, null) == null || (try(var.bucket.kms_key_arn, null) == null) == (try(var.bucket.replication.kms_key_arn, null) == null)
    error_message = "A bucket that has a key of its own is replicated with a key for the copies, and no other."
  }
  validation {
    condition     = try(var.bucket.replication.kms_key_arn, null) == null || alltrue([for key in [try(var.bucket.kms_key_arn, ""), try(var.bucket.replication.kms_key_arn, "")] : can(regex("^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/.+$", key))])
    error_message = "For replication both keys are named by their own ARNs; an alias is not enough."
  }
  validation {
    condition     = try(var.bucket.replication, null) == null || try(var.bucket.versioning && can(regex("^arn:aws[a-z-]*:s3:::[a-z0-9][a-z0-9.-]+$", var.bucket.replication.bucket_arn)), false)
    error_message = "Only a versioned bucket is replicated, to a bucket that is named by its ARN."
  }
  validation {
    condition     = try(var.bucket.replication.storage_class, null) == null || try(contains(["STANDARD", "STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE", "REDUCED_REDUNDANCY"], var.bucket.replication.storage_class), false)
    error_message = "Copies are of the class STANDARD, STANDARD_IA, ONEZONE_IA, INTELLIGENT_TIERING, GLACIER_IR, GLACIER or DEEP_ARCHIVE."
  }
}

variable "volume" {
  description = "A volume of blocks in one zone."
  type = object({
    zone        = string
    size_gib    = number
    type        = optional(string, "gp3")
    iops        = optional(number)
    throughput  = optional(number)
    kms_key_arn = optional(string)
  })
  default = null
  validation {
    condition     = var.volume == null || try(var.volume.size_gib >= 1 && var.volume.size_gib <= 65536 && floor(var.volume.size_gib) == var.volume.size_gib, false)
    error_message = "A volume has 1 to 65536 GiB, and a whole number of them."
  }
  validation {
    condition     = var.volume == null || try(contains(["gp3", "gp2", "io1", "io2", "st1", "sc1", "standard"], var.volume.type), false)
    error_message = "The type of a volume is gp3, gp2, io1, io2, st1, sc1 or standard."
  }
  validation {
    condition     = var.volume == null || can(regex("^${var.region}([a-z]|-[a-z0-9-]+)$", var.volume.zone))
    error_message = "The zone of a volume is one of its region, written as eu-west-1a."
  }
  validation {
    condition     = try(var.volume.kms_key_arn, null) == null || can(regex("^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:(key|alias)/.+$", var.volume.kms_key_arn))
    error_message = "The key is named by its ARN."
  }
  validation {
    condition     = (var.volume == null) != (var.bucket == null)
    error_message = "A storage is either a bucket or a volume."
  }
  validation {
    condition     = try(var.volume.throughput, null) == null || try(var.volume.type == "gp3", false)
    error_message = "Only volumes of type gp3 have a throughput of their own."
  }
  validation {
    condition     = try(var.volume.iops, null) == null || try(contains(["gp3", "io1", "io2"], var.volume.type), false)
    error_message = "Only volumes of the types gp3, io1 and io2 are given a number of IOPS."
  }
  validation {
    condition     = !try(contains(["io1", "io2"], var.volume.type), false) || try(var.volume.iops, null) != null
    error_message = "Volumes of the types io1 and io2 need a number of IOPS."
  }
}

variable "owner" {
  description = "Whom this belongs to: everything is tagged with it, and found by it."
  type = object({
    project = string
    entity  = string
  })
  validation {
    condition     = length(replace(var.owner.entity, "-", "")) >= 4
    error_message = "The owner's uid is too short to make names unique."
  }
}

variable "tags" {
  description = "Tags of the user's own."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    # AWS allows 50 tags, some of which the platform sets.
    condition     = length(var.tags) <= 40 && alltrue([for key, value in var.tags : length(key) >= 1 && length(key) <= 128 && length(coalesce(value, "-")) <= 256])
    error_message = "There are at most 40 tags, of 128 characters with values of 256."
  }
  validation {
    condition     = alltrue([for key in keys(var.tags) : !startswith(key, "cloudwright:") && !startswith(key, "aws:")])
    error_message = "Tags that begin with cloudwright: or aws: are not the user's own."
  }
}
