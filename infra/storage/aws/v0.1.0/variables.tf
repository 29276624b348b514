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
    force_destroy     = optional(bool, false)
  })
  default = null
  validation {
    condition     = var.bucket == null || try(var.bucket.expire_after_days >= 0 && floor(var.bucket.expire_after_days) == var.bucket.expire_after_days, false)
    error_message = "expire_after_days must be a whole number of days; 0 keeps objects forever."
  }
}

variable "volume" {
  description = "Settings of a block volume in one zone; set either bucket or volume."
  type = object({
    zone     = string
    size_gib = number
    type     = optional(string, "gp3")
  })
  default = null
  validation {
    condition     = var.volume == null || try(var.volume.size_gib >= 1, false)
    error_message = "The volume size must be at least 1 GiB."
  }
  validation {
    condition     = (var.volume == null) != (var.bucket == null)
    error_message = "Set exactly one of bucket and volume."
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
  validation {
    condition     = alltrue([for key in keys(var.tags) : !startswith(key, "cloudwright:") && !startswith(key, "aws:")])
    error_message = "Tag keys must not start with cloudwright: or aws:, which are reserved."
  }
}
