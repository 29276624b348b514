variable "name" {
  description = "Name of the storage. Resource names consist of it and a part of the owner's uid."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.name))
    error_message = "The name must start with a letter and consist of at most 63 lower-case letters, digits and hyphens."
  }
  validation {
    # Cloud Storage rejects bucket names that start with "goog" or contain "google" or "g00gle".
    condition     = var.bucket == null || !can(regex("^goog|google|g00gle", var.name))
    error_message = "The name of a bucket must not start with goog or contain google."
  }
}

variable "project" {
  description = "Id of the Google Cloud project. If not set, the provider takes it from its environment."
  type        = string
  default     = null
  validation {
    condition     = var.project == null || can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project))
    error_message = "The project must be an id of 6 to 30 lower-case letters, digits and hyphens, such as my-project."
  }
}

variable "region" {
  description = "Region of the storage."
  type        = string
  validation {
    condition     = can(regex("^[a-z]+(-[a-z]+)+[0-9]+$", var.region))
    error_message = "The region must look like europe-west1."
  }
}

variable "bucket" {
  description = "Settings of an object bucket; set either bucket or volume."
  type = object({
    versioning        = optional(bool, false)
    expire_after_days = optional(number, 0)
    # Allows deleting a bucket that still contains objects.
    force_destroy = optional(bool, false)
    # Full name of a customer-managed key, which the Cloud Storage service agent must be allowed to use. If omitted, Cloud Storage uses its
    # own key.
    kms_key_name = optional(string)
    lifecycle_rules = optional(list(object({
      prefix                       = optional(string, "")
      expire_after_days            = optional(number, 0)
      expire_noncurrent_after_days = optional(number, 0)
      abort_uploads_after_days     = optional(number, 0)
      transitions = optional(list(object({
        after_days    = number
        storage_class = string
      })), [])
    })), [])
    # Time for which objects cannot be deleted or overwritten. A locked retention policy can never be shortened or removed.
    retention = optional(object({
      days   = number
      locked = optional(bool, false)
    }))
    # Days after which incomplete multipart uploads are deleted; 0 keeps them.
    abort_uploads_after_days = optional(number, 7)
    # Roles on the bucket and the members that have them.
    grants = optional(list(object({
      role   = string
      member = string
    })), [])
  })
  default = null
  validation {
    condition     = var.bucket == null || try(var.bucket.expire_after_days >= 0 && floor(var.bucket.expire_after_days) == var.bucket.expire_after_days, false)
    error_message = "expire_after_days must be a whole number of days; 0 keeps objects forever."
  }
  validation {
    condition     = try(var.bucket.kms_key_name, null) == null || can(regex("^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+$", var.bucket.kms_key_name))
    error_message = "The key must be a full name such as projects/my-project/locations/europe-west1/keyRings/main/cryptoKeys/storage."
  }
  validation {
    # Cloud Storage requires the key to be in the bucket's location.
    condition     = try(var.bucket.kms_key_name, null) == null || try(lower(split("/", var.bucket.kms_key_name)[3]) == var.region, false)
    error_message = "The key must be in the region of the bucket."
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
    condition     = alltrue(flatten([for rule in try(var.bucket.lifecycle_rules, []) : [for move in rule.transitions : contains(["NEARLINE", "COLDLINE", "ARCHIVE"], move.storage_class) && move.after_days >= 1]]))
    error_message = "Objects can move to NEARLINE, COLDLINE or ARCHIVE, after one day at the earliest."
  }
  validation {
    condition     = alltrue(flatten([for rule in try(var.bucket.lifecycle_rules, []) : [for move in rule.transitions : rule.expire_after_days == 0 || move.after_days < rule.expire_after_days]]))
    error_message = "Objects must move before they expire."
  }
  validation {
    # Cloud Storage allows 100 rules per bucket, and each action becomes a rule.
    condition     = length(flatten([for rule in try(var.bucket.lifecycle_rules, []) : concat([for days in [rule.expire_after_days, rule.expire_noncurrent_after_days, rule.abort_uploads_after_days] : days if days > 0], rule.transitions[*].after_days)])) <= 96
    error_message = "Lifecycle rules can have at most 96 actions in total."
  }
  validation {
    condition     = try(var.bucket.retention, null) == null || try(var.bucket.retention.days >= 1 && var.bucket.retention.days <= 36500 && floor(var.bucket.retention.days) == var.bucket.retention.days, false)
    error_message = "The retention must be a whole number of days between 1 and 36500."
  }
  validation {
    condition     = var.bucket == null || try(var.bucket.abort_uploads_after_days >= 0 && floor(var.bucket.abort_uploads_after_days) == var.bucket.abort_uploads_after_days, false)
    error_message = "abort_uploads_after_days must be a whole number of days; 0 keeps incomplete uploads."
  }
  validation {
    condition     = alltrue([for grant in try(var.bucket.grants, []) : can(regex("^(roles/storage\\.[A-Za-z]+|(projects|organizations)/[^/]+/roles/[A-Za-z0-9_.]+)$", grant.role))])
    error_message = "Roles must be roles of Cloud Storage such as roles/storage.objectViewer, or custom roles."
  }
  validation {
    condition     = alltrue([for grant in try(var.bucket.grants, []) : can(regex("^(user|serviceAccount|group|domain|principal|principalSet):.+$", grant.member))])
    error_message = "Members must look like serviceAccount:website@my-project.iam.gserviceaccount.com. Public members are not allowed."
  }
  validation {
    condition     = length(distinct([for grant in try(var.bucket.grants, []) : "${grant.role} ${grant.member}"])) == length(try(var.bucket.grants, []))
    error_message = "Each combination of role and member must be unique."
  }
}

variable "volume" {
  description = "Settings of a disk in one zone; set either bucket or volume."
  type = object({
    zone         = string
    size_gib     = number
    type         = optional(string, "pd-balanced")
    iops         = optional(number)
    throughput   = optional(number)
    kms_key_name = optional(string)
    # Whether to create a snapshot before the disk is deleted.
    final_snapshot = optional(bool, false)
  })
  default = null
  validation {
    condition     = var.volume == null || try(var.volume.size_gib >= 1 && var.volume.size_gib <= 65536 && floor(var.volume.size_gib) == var.volume.size_gib, false)
    error_message = "The size of the disk must be a whole number of GiB between 1 and 65536."
  }
  validation {
    condition     = var.volume == null || try(contains(["pd-balanced", "pd-ssd", "pd-standard", "pd-extreme", "hyperdisk-balanced", "hyperdisk-extreme", "hyperdisk-throughput"], var.volume.type), false)
    error_message = "The disk type must be pd-balanced, pd-ssd, pd-standard, pd-extreme, hyperdisk-balanced, hyperdisk-extreme or hyperdisk-throughput."
  }
  validation {
    condition     = var.volume == null || try(var.volume.size_gib >= lookup({ "pd-extreme" = 500, "hyperdisk-balanced" = 4, "hyperdisk-extreme" = 64, "hyperdisk-throughput" = 2048 }, var.volume.type, 1), false)
    error_message = "The disk is too small for its type. The smallest size is 500 GiB for pd-extreme, 4 for hyperdisk-balanced, 64 for hyperdisk-extreme and 2048 for hyperdisk-throughput."
  }
  validation {
    condition     = var.volume == null || can(regex("^${var.region}-[a-z]$", var.volume.zone))
    error_message = "The disk's zone must be in its region, for example europe-west1-b."
  }
  validation {
    condition     = try(var.volume.kms_key_name, null) == null || can(regex("^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+$", var.volume.kms_key_name))
    error_message = "The key must be a full name such as projects/my-project/locations/europe-west1/keyRings/main/cryptoKeys/storage."
  }
  validation {
    condition     = (var.volume == null) != (var.bucket == null)
    error_message = "Set exactly one of bucket and volume."
  }
  validation {
    condition     = try(var.volume.iops, null) == null || try(contains(["pd-extreme", "hyperdisk-balanced", "hyperdisk-extreme"], var.volume.type) && var.volume.iops >= 1 && floor(var.volume.iops) == var.volume.iops, false)
    error_message = "IOPS can be set only for disks of type pd-extreme, hyperdisk-balanced and hyperdisk-extreme."
  }
  validation {
    condition     = try(var.volume.throughput, null) == null || try(contains(["hyperdisk-balanced", "hyperdisk-throughput"], var.volume.type) && var.volume.throughput >= 1 && floor(var.volume.throughput) == var.volume.throughput, false)
    error_message = "Throughput can be set only for disks of type hyperdisk-balanced and hyperdisk-throughput."
  }
}

variable "owner" {
  description = "Entity that owns the resources. Each resource carries it in its labels and is found by them."
  type = object({
    project = string
    entity  = string
  })
  validation {
    condition     = length(replace(var.owner.entity, "-", "")) >= 4
    error_message = "The owner's uid is too short for unique resource names."
  }
  validation {
    condition     = can(regex("^[a-z0-9_-]{1,63}$", var.owner.entity)) && can(regex("^[a-z0-9_-]{1,63}$", var.owner.project))
    error_message = "The owner's project and uid must be valid label values: lower-case letters, digits, hyphens and underscores."
  }
}

variable "labels" {
  description = "Additional labels for all resources."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    # Google Cloud allows 64 labels per resource, and the platform and Terraform set some of them. Empty values are rejected,
    # because the provider would plan a change on every run.
    condition     = length(var.labels) <= 50 && alltrue([for key, value in var.labels : can(regex("^[a-z][a-z0-9_-]{0,62}$", key)) && can(regex("^[a-z0-9_-]{1,63}$", value))])
    error_message = "At most 50 labels are allowed. Keys start with a letter; keys and values have 1 to 63 lower-case letters, digits, hyphens and underscores."
  }
  validation {
    # The prefix cloudwright__ is allowed. Two underscores start an escape sequence, so such a key cannot be mistaken for one of the
    # platform's.
    condition     = alltrue([for key in keys(var.labels) : !can(regex("^(cloudwright_[^_]|goog)", key))])
    error_message = "Label keys must not start with cloudwright_ or goog, which are reserved."
  }
}
