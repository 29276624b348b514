variable "name" {
  description = "Name of the storage. Resource names start with it."
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
    condition     = can(regex("^[a-z]{4,}[0-9]?$", var.region))
    error_message = "The region must look like westeurope."
  }
}

variable "resource_group_name" {
  description = "Existing resource group in which the storage is created. By default, the storage has a resource group of its own."
  type        = string
  default     = null
  validation {
    condition     = var.resource_group_name == null || can(regex("^[A-Za-z0-9_().-]{0,89}[A-Za-z0-9_()-]$", var.resource_group_name))
    error_message = "A resource group name has up to 90 letters, digits, underscores, parentheses, hyphens and periods, and does not end with a period."
  }
}

variable "bucket" {
  description = "Settings of a bucket, which is a container in a storage account of its own."
  type = object({
    redundancy        = optional(string, "zone")
    versioning        = optional(bool, false)
    expire_after_days = optional(number, 0)
    key_id            = optional(string)
    lifecycle_rules = optional(list(object({
      id                           = string
      prefix                       = optional(string, "")
      expire_after_days            = optional(number, 0)
      expire_noncurrent_after_days = optional(number, 0)
      transitions = optional(list(object({
        after_days    = number
        storage_class = string
      })), [])
    })), [])
  })
  default = null
  validation {
    condition     = var.bucket == null || try(contains(["local", "zone", "geo", "geo-zone"], var.bucket.redundancy), false)
    error_message = "The redundancy must be local, zone, geo or geo-zone."
  }
  validation {
    condition     = var.bucket == null || try(var.bucket.expire_after_days >= 0 && var.bucket.expire_after_days <= 36500 && floor(var.bucket.expire_after_days) == var.bucket.expire_after_days, false)
    error_message = "Objects expire after a whole number of days between 0 and 36500."
  }
  validation {
    condition     = try(var.bucket.key_id, null) == null || can(regex("^/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[^/]+/providers/Microsoft.KeyVault/vaults/[A-Za-z0-9-]{3,24}/keys/[A-Za-z0-9-]{1,127}$", var.bucket.key_id))
    error_message = "key_id must look like /subscriptions/<id>/resourceGroups/<name>/providers/Microsoft.KeyVault/vaults/<name>/keys/<name>."
  }
  validation {
    condition     = var.bucket == null || try(alltrue([for rule in var.bucket.lifecycle_rules : can(regex("^[A-Za-z0-9_.-]{1,255}$", rule.id)) && rule.id != "expire"]) && length(distinct([for rule in var.bucket.lifecycle_rules : lower(rule.id)])) == length(var.bucket.lifecycle_rules), false)
    error_message = "Lifecycle rules must have different ids of letters, digits, underscores, periods and hyphens. expire is reserved."
  }
  validation {
    condition = var.bucket == null || try(alltrue([for rule in var.bucket.lifecycle_rules : rule.expire_after_days >= 0 && rule.expire_noncurrent_after_days >= 0 &&
      floor(rule.expire_after_days) == rule.expire_after_days && floor(rule.expire_noncurrent_after_days) == rule.expire_noncurrent_after_days &&
    (rule.expire_after_days + rule.expire_noncurrent_after_days > 0 || length(rule.transitions) > 0)]), false)
    error_message = "Each lifecycle rule must expire or move objects after a whole number of days."
  }
  validation {
    condition = var.bucket == null || try(alltrue(flatten([for rule in var.bucket.lifecycle_rules : [for move in rule.transitions :
      contains(["Cool", "Cold", "Archive"], move.storage_class) && move.after_days >= 0 && floor(move.after_days) == move.after_days && (rule.expire_after_days == 0 || move.after_days < rule.expire_after_days)
    ]])), false)
    error_message = "Objects can move to Cool, Cold or Archive, after a whole number of days and before they expire."
  }
  validation {
    condition     = var.bucket == null || try(alltrue([for rule in var.bucket.lifecycle_rules : length(distinct([for move in rule.transitions : move.storage_class])) == length(rule.transitions)]), false)
    error_message = "A lifecycle rule can move objects to a storage class only once."
  }
  validation {
    condition     = var.bucket == null || try(contains(["local", "geo"], var.bucket.redundancy) || alltrue(flatten([for rule in var.bucket.lifecycle_rules : [for move in rule.transitions : move.storage_class != "Archive"]])), false)
    error_message = "Azure offers the storage class Archive only with the redundancy local or geo."
  }
}

variable "volume" {
  description = "Settings of a volume, which is a managed disk."
  type = object({
    zone                   = optional(string)
    size_gib               = number
    type                   = optional(string, "Premium_LRS")
    iops                   = optional(number)
    throughput             = optional(number)
    disk_encryption_set_id = optional(string)
  })
  default = null
  validation {
    condition     = (var.bucket == null) != (var.volume == null)
    error_message = "Set either bucket or volume."
  }
  validation {
    condition     = var.volume == null || try(var.volume.size_gib >= 1 && var.volume.size_gib <= 65536 && floor(var.volume.size_gib) == var.volume.size_gib, false)
    error_message = "The size must be a whole number of GiB between 1 and 65536."
  }
  validation {
    condition     = var.volume == null || try(contains(["Standard_LRS", "StandardSSD_LRS", "StandardSSD_ZRS", "Premium_LRS", "Premium_ZRS", "PremiumV2_LRS", "UltraSSD_LRS"], var.volume.type), false)
    error_message = "The type must be Standard_LRS, StandardSSD_LRS, StandardSSD_ZRS, Premium_LRS, Premium_ZRS, PremiumV2_LRS or UltraSSD_LRS."
  }
  validation {
    condition     = var.volume == null || try(var.volume.zone == null ? !contains(["PremiumV2_LRS", "UltraSSD_LRS"], var.volume.type) : (can(regex("^[1-9]$", var.volume.zone)) && !endswith(var.volume.type, "_ZRS")), false)
    error_message = "The zone must be a number such as 1. Zone-redundant disks have no zone; PremiumV2_LRS and UltraSSD_LRS require one."
  }
  validation {
    condition     = var.volume == null || try((var.volume.iops == null && var.volume.throughput == null) || (contains(["PremiumV2_LRS", "UltraSSD_LRS"], var.volume.type) && coalesce(var.volume.iops, 1) >= 1 && coalesce(var.volume.throughput, 1) >= 1), false)
    error_message = "Only PremiumV2_LRS and UltraSSD_LRS disks have settings for IOPS and throughput, which must be positive."
  }
  validation {
    condition     = try(var.volume.disk_encryption_set_id, null) == null || can(regex("^/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[^/]+/providers/Microsoft.Compute/diskEncryptionSets/[^/]{1,80}$", var.volume.disk_encryption_set_id))
    error_message = "disk_encryption_set_id must look like /subscriptions/<id>/resourceGroups/<name>/providers/Microsoft.Compute/diskEncryptionSets/<name>."
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
    # Azure allows 50 tags per resource, and the platform sets some of them.
    condition     = length(var.tags) <= 40 && alltrue([for key, value in var.tags : length(key) >= 1 && length(key) <= 128 && length(coalesce(value, "-")) <= 256 && !can(regex("[<>%&?/\\\\]", key))])
    error_message = "At most 40 tags are allowed, with keys of up to 128 and values of up to 256 characters. Keys must not contain <, >, %, &, ?, / or \\."
  }
  validation {
    condition     = alltrue([for key in keys(var.tags) : !can(regex("^(cloudwright:|microsoft|azure|windows)", lower(key)))])
    error_message = "Tag keys must not start with cloudwright:, microsoft, azure or windows, which are reserved."
  }
}
